/* Scalar functions that the host calls itself: a check that fails ends the call. */
typedef nesl_host_state nesl_state;

static inline bool nesl_stack_left(const nesl_state *state) {
  return (const char *)__builtin_frame_address(0) > state->stack;
}
