/* How deep recursion may go on a CPU. */

/* The lowest address that the stack of this thread may grow down to. */
NESL_UNUSED static const char *nesl_stack_floor(void) {
  const char *here = (const char *)__builtin_frame_address(0);
  size_t size = 512 << 10;
#if defined(__linux__)
  pthread_attr_t about;
  void *lowest;
  if (pthread_getattr_np(pthread_self(), &about) == 0) {
    if (pthread_attr_getstack(&about, &lowest, &size) == 0) {
      pthread_attr_destroy(&about);
      return (const char *)lowest + (128 << 10);
    }
    pthread_attr_destroy(&about);
  }
#endif
  return here - size / 2;
}
