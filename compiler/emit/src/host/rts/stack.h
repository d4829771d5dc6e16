/* How deep recursion may go on a CPU. */

#if defined(__linux__)
/* The lowest address that the stack of this thread may grow down to.  Each thread asks once: for
 * the main thread the C library reads the memory map of the process, which takes 0.1 ms in a
 * process with many libraries. */
NESL_UNUSED static const char *nesl_stack_floor(void) {
  static __thread const char *known;
  if (known) return known;
  pthread_attr_t about;
  if (pthread_getattr_np(pthread_self(), &about) == 0) {
    void *lowest;
    size_t size;
    if (pthread_attr_getstack(&about, &lowest, &size) == 0) {
      known = (const char *)lowest + (128 << 10);
    }
    pthread_attr_destroy(&about);
  }
  return known ? known : (const char *)__builtin_frame_address(0) - (256 << 10);
}
#else
/* About the lowest address that the stack of this thread may grow down to. */
NESL_UNUSED static const char *nesl_stack_floor(void) {
  return (const char *)__builtin_frame_address(0) - (256 << 10);
}
#endif
