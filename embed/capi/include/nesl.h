/* NESL from C: compile a text, call its functions with Arrow arrays.
 *
 *   session   an engine with its threads and memory
 *   program   the functions of one text, apart from those of other programs
 *   callable  a function, which is compiled once for each combination of argument types
 *
 * Data goes in and out by Arrow's C data interface, which any library that knows Arrow gives and
 * takes.  docs/embedding.md has an example and says which types there are.
 *
 * All functions may be called from several threads at once.  On the cores calls of compiled
 * functions run side by side; first calls at new types, calls that fail, and functions that print
 * or draw random numbers take turns in a session, as all calls on a GPU and in the interpreter do.
 * A program keeps its session alive, and a callable its program, so that they may be freed
 * in any order; results depend on none of them. */
#ifndef NESL_H
#define NESL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrow's C data interface ------------------------------------------------------------ */

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
  const char *format;
  const char *name;
  const char *metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema **children;
  struct ArrowSchema *dictionary;
  void (*release)(struct ArrowSchema *);
  void *private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void **buffers;
  struct ArrowArray **children;
  struct ArrowArray *dictionary;
  void (*release)(struct ArrowArray *);
  void *private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
  int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
  const char *(*get_last_error)(struct ArrowArrayStream *);
  void (*release)(struct ArrowArrayStream *);
  void *private_data;
};

#endif

#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

typedef int32_t ArrowDeviceType;

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_OPENCL 4
#define ARROW_DEVICE_VULKAN 7
#define ARROW_DEVICE_METAL 8
#define ARROW_DEVICE_VPI 9
#define ARROW_DEVICE_ROCM 10
#define ARROW_DEVICE_ROCM_HOST 11
#define ARROW_DEVICE_EXT_DEV 12
#define ARROW_DEVICE_CUDA_MANAGED 13
#define ARROW_DEVICE_ONEAPI 14
#define ARROW_DEVICE_WEBGPU 15
#define ARROW_DEVICE_HEXAGON 16

struct ArrowDeviceArray {
  struct ArrowArray array;
  int64_t device_id;
  ArrowDeviceType device_type;
  void *sync_event;
  int64_t reserved[3];
};

#endif

/* ---- sessions ---------------------------------------------------------------------------- */

typedef struct nesl_session nesl_session;
typedef struct nesl_program nesl_program;
typedef struct nesl_callable nesl_callable;
typedef struct nesl_error nesl_error;

enum {
  NESL_ENGINE_AUTO = 0,   /* a GPU if there is one, else the cores */
  NESL_ENGINE_CPU = 1,    /* compiled code on the cores; needs a C compiler when it runs */
  NESL_ENGINE_CUDA = 2,   /* compiled code on an NVIDIA GPU */
  NESL_ENGINE_INTERP = 3  /* the interpreter, which needs nothing */
};

/* Choices about a session.  Set `size` to sizeof(nesl_options) and all else to 0 or to what is
 * wanted: a library that is newer than the program takes what it does not find as 0. */
typedef struct nesl_options {
  size_t size;
  int32_t engine;     /* NESL_ENGINE_... */
  int32_t threads;    /* 0 for one on each core */
  uint64_t memory;    /* bytes that values may take; 0 for three quarters of the machine */
  int32_t int_bits;   /* 32 or 64; 0 for 64 */
  int32_t float_bits; /* 32 or 64; 0 for 64 */
} nesl_options;

/* The version of the library, such as "0.1.0". */
const char *nesl_version(void);

/* Makes a session; null for the usual choices.  Gives null if it fails, and then an error, if
 * `error` is not null.  So do all functions that have one. */
nesl_session *nesl_session_new(const nesl_options *options, nesl_error **error);
void nesl_session_free(nesl_session *session);

/* ---- programs ---------------------------------------------------------------------------- */

/* Compiles a text of so many bytes.  Gives 0, or another number if it fails. */
int nesl_compile(nesl_session *session, const char *text, size_t length, nesl_program **program,
                 nesl_error **error);
void nesl_program_free(nesl_program *program);

/* A function of a program, by its name. */
nesl_callable *nesl_function(const nesl_program *program, const char *name, nesl_error **error);
void nesl_callable_free(nesl_callable *callable);

/* Calls a function.  `schemas` and `arrays` have `count` elements, one for each parameter in order;
 * optional parameters are given all, or none.  Rows of an array are the elements of a sequence; an
 * array for a parameter that is no sequence has one row.
 *
 * The arrays are moved: this function releases them, whether or not it fails, and sets `release` to
 * null in all of them.  Those without rows of their own in the result are released when it returns.
 * The schemas remain the caller's.
 *
 * Gives 0 and the result, which the caller releases; or another number, and sets `release` of the
 * result to null. */
int nesl_call(const nesl_callable *callable, const struct ArrowSchema *schemas,
              struct ArrowArray *arrays, size_t count, struct ArrowSchema *result_schema,
              struct ArrowArray *result, nesl_error **error);

/* The values in place of nulls.  A list or a string that is null becomes an empty one, and the
 * fields of a struct that is null are filled. */
typedef struct nesl_fill {
  int64_t ints;
  double floats;
  int32_t bools; /* 0 or 1 */
  int32_t reserved;
} nesl_fill;

/* An argument in one of three forms: an array and its schema; an array that says on which device it
 * is, and its schema; a stream of arrays, which has its schema, whose rows are taken together.  All
 * else is null or 0. */
typedef struct nesl_argument {
  const struct ArrowSchema *schema;
  struct ArrowArray *array;
  struct ArrowDeviceArray *device; /* ARROW_DEVICE_CPU; others are refused as a limit */
  struct ArrowArrayStream *stream;
  const nesl_fill *fill;           /* null: a null is an error */
  const void *reserved[3];
} nesl_argument;

enum {
  NESL_LIST_VIEWS = 1, /* lists as large list views, not as large lists */
  NESL_TABLE = 2       /* rows that are no tuples as structs of one field, for what takes tables */
};

/* The place for a result in one of the same forms.  All else is null or 0. */
typedef struct nesl_result {
  struct ArrowSchema *schema;
  struct ArrowArray *array;
  struct ArrowDeviceArray *device;
  struct ArrowArrayStream *stream; /* has one array */
  uint64_t flags;                  /* NESL_LIST_VIEWS, NESL_TABLE */
  const void *reserved[3];
} nesl_result;

/* Calls a function as nesl_call does, with each argument in a form of its own.  Arrays and streams
 * are moved, whether or not it fails, and so is one that comes with another by mistake.  A stream
 * is released, and has ended or failed, when this returns. */
int nesl_call_with(const nesl_callable *callable, const nesl_argument *arguments, size_t count,
                   const nesl_result *result, nesl_error **error);

/* ---- errors ------------------------------------------------------------------------------ */

/* A place in a program's text. */
typedef struct nesl_span {
  uint64_t start;  /* the first byte */
  uint64_t end;    /* behind the last byte */
  uint64_t line;   /* of the first byte, counted from 1 */
  uint64_t column; /* likewise, in bytes */
} nesl_span;

/* The texts of an error live as long as the error.  A null pointer is an error without texts. */

/* Its code, such as "N0506"; docs/errors has a page for each. */
const char *nesl_error_code(const nesl_error *error);
/* One sentence. */
const char *nesl_error_message(const nesl_error *error);
/* All that is known of it: several lines with the source. */
const char *nesl_error_text(const nesl_error *error);
/* The place at fault; gives 0, and sets nothing, if there is none. */
int nesl_error_span(const nesl_error *error, nesl_span *span);
/* The lanes in which it arose, outermost first: row, element of the row, and so on.  Gives how many
 * there are. */
size_t nesl_error_lanes(const nesl_error *error, const uint64_t **lanes);
/* The next error of the same text, or null; it is freed with the first. */
const nesl_error *nesl_error_next(const nesl_error *error);
void nesl_error_free(nesl_error *error);

#ifdef __cplusplus
}
#endif

#endif
