/* What is told about a call that fails: a code, and a message with the place in the source.
 *
 * Include after the table `nesl_sites` and `nesl_sentence`. */

enum { NESL_PLACES = 6 }; /* positions kept for a message */

/* Where the lane that is being diagnosed is, outermost position first. */
static NESL_LOCAL int64_t nesl_place[NESL_PLACES];
static NESL_LOCAL int32_t nesl_depth;

/* Begins a message about a place in the source; a row of -1 stands for no place. */
static void nesl_begin_message(int32_t row, const char *code) {
  nesl_said[0] = 0;
  nesl_say("%s: runtime(%s): ", row < 0 ? NESL_SOURCE : nesl_sites[row].place, code);
}

/* The message about a check that failed on these operands. */
static int nesl_describe(int32_t row, int code, int64_t a, int64_t b) {
  nesl_begin_message(row, nesl_words[code]);
  nesl_sentence(code, a, b);
  for (int32_t i = nesl_depth - 1; i >= 0; i--) {
    const char *form = i == nesl_depth - 1 ? ", in element %lld" : " of row %lld";
    nesl_say(form, (long long)nesl_place[i]);
  }
  return code;
}
