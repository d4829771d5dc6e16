; Colours.  Where several patterns name a node, the last one counts.

(identifier) @variable
(wildcard) @variable.builtin

(application function: (identifier) @function.call)
(function_definition name: (identifier) @function)
(function_declaration name: (identifier) @function)
(parameters (pattern (identifier) @variable.parameter))
(parameters (pattern (pair (identifier) @variable.parameter)))
(parameters (pattern (pair (pair (identifier) @variable.parameter))))
(optional name: (identifier) @variable.parameter)
(pattern (application function: (identifier) @constructor))

(datatype_definition name: (identifier) @type.definition)
(base_type) @type.builtin
(named_type (identifier) @type)
(class_bound variable: (identifier) @type)
(class_bound class: (identifier) @type)

(integer) @number
(float) @number.float
(boolean) @boolean
(character) @character
(string) @string
(escape_sequence) @string.escape
(documentation (string) @string.documentation)
(comment) @comment

["if" "then" "else"] @keyword.conditional
["let" "in"] @keyword
["function" "datatype"] @keyword.function
(command word: (command_word) @keyword.directive)
["and" "or" "xor" "nand" "nor"] @keyword.operator

["+" "-" "*" "/" "^" "++" "||" "->" "<-" "==" "/=" "<" ">" "<=" ">=" "#" "@" "=>" "="] @operator
[":=" "::"] @operator
[";" "$" ":" "," "|"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket

(command word: ":" @keyword.directive)
