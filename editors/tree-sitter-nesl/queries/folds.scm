; What can be folded.

[
  (function_definition)
  (let_expression)
  (conditional)
  (apply_to_each)
  (sequence)
  (comment)
] @fold
