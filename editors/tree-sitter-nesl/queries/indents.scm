; Lines inside these are indented, and closing brackets stand under the line that opened them.

[
  (function_definition)
  (let_binding)
  (sequence)
  (apply_to_each)
  (parenthesized_expression)
  (arguments)
] @indent.begin

[")" "]" "}"] @indent.branch @indent.end
