/* What a launch hands to its kernel besides the arguments, and how tiles, chains and faults use it.
 *
 * Header-free: NVRTC compiles this without any include. */

typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;

/* A word of scratch memory. */
union nesl_word {
  int64_t i;
  double f;
  uint8_t b;
};

enum { NESL_DEPTH = 6 }; /* positions kept for a report */

/* The first fault in order: filled in by diagnosis only.  Diagnosis runs the kernel twice: first
 * each fault lowers `key`, which is all ones before, to the place where it happened; then the one
 * that finds its place there tells what it saw. */
struct nesl_report {
  uint64_t key;
  int32_t tell; /* 0: find the first; 1: tell about it */
  int32_t site; /* row of the table of fault sites; -1 if there was none */
  int32_t depth;
  int32_t unused;
  int64_t operands[2];
  int64_t positions[NESL_DEPTH];
};

/* One launch.  Rust lays out the same struct. */
struct nesl_run {
  uint32_t *failed;      /* not 0 once a launch has failed: kernels then do nothing */
  uint32_t *told;        /* the same for the host, in its memory */
  uint32_t *tickets;     /* two counters, 0 before a launch and left 0 after it */
  nesl_word *scratch;    /* `words` for each tile, then a flag for each tile and step of the chain */
  nesl_report *report;   /* in diagnosis */
  int64_t tiles;         /* how many there are */
  uint32_t number;       /* of this launch: not 0, and no flag in scratch has this value yet */
  uint32_t unused;
};
