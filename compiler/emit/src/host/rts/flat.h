/* Nothing recurses: how far the stack goes does not matter. */
NESL_UNUSED static const char *nesl_stack_floor(void) { return NULL; }
