/* A check: one that fails sets a flag, and the kernel goes on with harmless values, or ends.  Then
 * it runs again, in a form that stops. */
#define NESL_REQUIRE(flag, ok, site, a, b) ((flag) |= !(ok))
#define NESL_REQUIRE_OR_LEAVE(flag, ok, site, a, b) \
  do {                                              \
    if (!(ok)) {                                    \
      (flag) = 1;                                   \
      goto failed;                                  \
    }                                               \
  } while (0)
#define NESL_POSITIONS(...) (void)0

/* A check that fails ends the call.  Before, it is said where the lane is. */
#undef NESL_REQUIRE
#undef NESL_REQUIRE_OR_LEAVE
#undef NESL_POSITIONS
#undef NESL_OCTETS
#define NESL_OCTETS 0
#define NESL_REQUIRE(flag, ok, site, a, b) \
  do {                                     \
    if (!(ok)) nesl_stop(site, a, b);      \
  } while (0)
#define NESL_REQUIRE_OR_LEAVE NESL_REQUIRE
#define NESL_POSITIONS(...)                                                             \
  do {                                                                                  \
    const int64_t positions[] = {0, ##__VA_ARGS__};                                     \
    nesl_positions((int32_t)(sizeof positions / sizeof *positions) - 1, positions + 1); \
  } while (0)
