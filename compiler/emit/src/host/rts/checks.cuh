/* On the host a check that fails ends the call. */
#undef NESL_REQUIRE
#undef NESL_POSITIONS
#define NESL_REQUIRE(flag, ok, site, a, b) \
  do {                                     \
    if (!(ok)) nesl_stop(site, a, b);      \
  } while (0)
