/* The message about a call that failed. */

/* The message of the last call in this thread that failed. */
static NESL_LOCAL char nesl_said[1024];

/* Adds to the message. */
static void nesl_say(const char *form, ...) {
  const size_t length = strlen(nesl_said);
  va_list list;
  va_start(list, form);
  vsnprintf(nesl_said + length, sizeof nesl_said - length, form, list);
  va_end(list);
}
