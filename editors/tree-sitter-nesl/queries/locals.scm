; Scopes, definitions and uses of names.  Patterns nest to any depth; pairs of up to three names in
; a row are known here.

[
  (function_definition)
  (let_expression)
  (function_value)
  (apply_to_each)
] @local.scope

(function_definition name: (identifier) @local.definition.function)
(function_declaration name: (identifier) @local.definition.function)
(datatype_definition name: (identifier) @local.definition.type)
(parameters (optional name: (identifier) @local.definition.parameter))
(parameters (pattern (identifier) @local.definition.parameter))
(parameters (pattern (pair (identifier) @local.definition.parameter)))
(parameters (pattern (pair (pair (identifier) @local.definition.parameter))))

(pattern (identifier) @local.definition.var)
(pattern (pair (identifier) @local.definition.var))
(pattern (pair (pair (identifier) @local.definition.var)))
(pattern (parenthesized_expression (identifier) @local.definition.var))
(pattern (parenthesized_expression (pair (identifier) @local.definition.var)))
(pattern (parenthesized_expression (pair (pair (identifier) @local.definition.var))))
(pattern (application argument: (identifier) @local.definition.var))
(pattern (application argument: (arguments (identifier) @local.definition.var)))
(pattern (application argument: (arguments (pair (identifier) @local.definition.var))))

(identifier) @local.reference
