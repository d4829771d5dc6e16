/* Calls with arrays that count how often they are released: results, errors with code, place and
 * lanes, arrays that are wrong, several threads, handles that are freed in any order. */
#include "arrays.h"

#include <pthread.h>
#include <stdbool.h>

static const int64_t columns[] = {0, 1, 1};
static const double values[] = {2.0, 0.5, 4.0};
static const double vector[] = {1.0, 10.0};
static const int64_t offsets[] = {0, 2, 2, 3};
static const int64_t falling[] = {0, 2, 1, 3};

struct matrix {
  struct made rows, pairs, column, value;
};

static void make_matrix(struct matrix *m, const int64_t *with) {
  make(&m->column, "l", 3, columns, 0, NULL, NULL);
  make(&m->value, "g", 3, values, 0, NULL, NULL);
  make(&m->pairs, "+s", 3, NULL, 2, &m->column, &m->value);
  make(&m->rows, "+L", 3, with, 1, &m->pairs, NULL);
}

/* ---- calls ------------------------------------------------------------------------------- */

static const char text[] =
    "function smxv(m, v) = {sum({x * v[i] : i, x in row}) : row in m};\n"
    "function id(m, v) : ([[(int, float)]], [float]) -> [float] = v;\n";

static nesl_program *compile(nesl_session *session, const char *source) {
  nesl_program *program;
  nesl_error *error;
  if (nesl_compile(session, source, strlen(source), &program, &error)) {
    fprintf(stderr, "%s\n", nesl_error_text(error));
    exit(1);
  }
  CHECK(!error);
  return program;
}

/* Calls with a matrix and a vector of so many elements; gives 0 or sets the error. */
static int call(const nesl_callable *f, const int64_t *with, int64_t length,
                struct ArrowArray *result, nesl_error **error) {
  struct matrix m;
  struct made v;
  make_matrix(&m, with);
  make(&v, "g", length, vector, 0, NULL, NULL);
  struct ArrowSchema schemas[2] = {m.rows.schema, v.schema};
  struct ArrowArray arrays[2] = {m.rows.array, v.array};
  struct ArrowSchema schema;
  int failed = nesl_call(f, schemas, arrays, 2, &schema, result, error);
  CHECK(m.rows.released == 1 && m.pairs.released == 1 && m.value.released == 1);
  CHECK(!arrays[0].release && !arrays[1].release && schemas[0].release);
  CHECK(v.released == 1);
  CHECK(failed ? !schema.release && !result->release : schema.release && result->release);
  if (schema.release) {
    CHECK(!strcmp(schema.format, "g"));
    schema.release(&schema);
    CHECK(!schema.release);
  }
  return failed;
}

static void good(const nesl_callable *f) {
  struct ArrowArray result;
  nesl_error *error;
  if (call(f, offsets, 2, &result, &error)) {
    fprintf(stderr, "%s\n", nesl_error_text(error));
    exit(1);
  }
  const double *y = result.buffers[1];
  CHECK(result.length == 3 && result.offset == 0 && result.n_buffers == 2);
  CHECK(y[0] == 7.0 && y[1] == 0.0 && y[2] == 40.0);
  result.release(&result);
  CHECK(!result.release);
}

static void bad(const nesl_callable *f) {
  struct ArrowArray result;
  nesl_error *error;
  nesl_span span;
  const uint64_t *lanes;
  /* An element that is not there. */
  CHECK(call(f, offsets, 1, &result, &error));
  CHECK(!strcmp(nesl_error_code(error), "N0502"));
  CHECK(!strcmp(nesl_error_message(error), "index 1 is outside a sequence of length 1"));
  CHECK(strstr(nesl_error_text(error), "v[i]"));
  CHECK(nesl_error_span(error, &span) && span.line == 1 && span.column == 33);
  CHECK(!strncmp(text + span.start, "v[i]", (size_t)(span.end - span.start)));
  CHECK(nesl_error_lanes(error, &lanes) == 2 && lanes[0] == 0 && lanes[1] == 1);
  CHECK(!nesl_error_next(error));
  nesl_error_free(error);
  /* Offsets that fall. */
  CHECK(call(f, falling, 2, &result, &error));
  CHECK(!strcmp(nesl_error_code(error), "N0601"));
  CHECK(!strcmp(nesl_error_message(error), "`m` in row 1: offsets fall from 2 to 1"));
  CHECK(!nesl_error_span(error, &span));
  nesl_error_free(error);
  /* Nobody wants to know. */
  CHECK(call(f, falling, 2, &result, NULL));
}

/* Arguments of other types, and too few. */
static void refused(const nesl_callable *f) {
  struct made numbers;
  struct ArrowSchema schemas[2], schema;
  struct ArrowArray arrays[2], result;
  nesl_error *error;
  int released = 0;
  for (size_t count = 1; count <= 2; count++) {
    make(&numbers, "l", 3, columns, 0, NULL, NULL);
    numbers.array.private_data = &released;
    schemas[0] = schemas[1] = numbers.schema;
    arrays[0] = arrays[1] = numbers.array;
    CHECK(nesl_call(f, schemas, arrays, count, &schema, &result, &error));
    CHECK(!strcmp(nesl_error_code(error), "N0601"));
    CHECK(!strcmp(nesl_error_message(error),
                  count == 1 ? "`smxv` takes 2 arguments, and is given 1"
                             : "`m[i]`: int is given where [(int, int)] is needed"));
    nesl_error_free(error);
  }
  CHECK(released == 3);
  make(&numbers, "l", 3, columns, 0, NULL, NULL);
  arrays[0] = numbers.array;
  CHECK(nesl_call(NULL, schemas, arrays, 1, &schema, &result, NULL) && numbers.released == 1);
}

/* A result that is an argument keeps its memory. */
static void shared(const nesl_callable *id) {
  struct matrix m;
  struct made v;
  make_matrix(&m, offsets);
  make(&v, "g", 2, vector, 0, NULL, NULL);
  struct ArrowSchema schemas[2] = {m.rows.schema, v.schema};
  struct ArrowArray arrays[2] = {m.rows.array, v.array};
  struct ArrowSchema schema;
  struct ArrowArray result;
  CHECK(!nesl_call(id, schemas, arrays, 2, &schema, &result, NULL));
  CHECK(m.rows.released == 1);
  const double *y = result.buffers[1];
  CHECK(y[0] == 1.0 && y[1] == 10.0);
  bool same = y == vector;
  CHECK(v.released == (same ? 0 : 1));
  schema.release(&schema);
  result.release(&result);
  CHECK(v.released == 1);
}

static void *many(void *f) {
  for (int i = 0; i < 50; i++) good(f);
  return NULL;
}

static void wrong_programs(nesl_session *session) {
  nesl_program *program;
  nesl_error *error;
  const char *wrong = "function one(x) = y;\nfunction two(x) = z;\n";
  CHECK(nesl_compile(session, wrong, strlen(wrong), &program, &error) && !program);
  CHECK(!strcmp(nesl_error_code(error), "N0204"));
  const nesl_error *next = nesl_error_next(error);
  CHECK(next && !strcmp(nesl_error_message(next), "`z` is not defined"));
  nesl_error_free(error);
  CHECK(nesl_compile(NULL, wrong, 0, &program, NULL));
  program = compile(session, "function one(x) = x + 1;");
  CHECK(!nesl_function(program, "two", &error));
  CHECK(!strcmp(nesl_error_message(error), "there is no function `two`"));
  nesl_error_free(error);
  nesl_program_free(program);
}

int main(void) {
  CHECK(strchr(nesl_version(), '.'));
  nesl_error *error;
  nesl_options options = {.size = sizeof options, .engine = 9};
  CHECK(!nesl_session_new(&options, &error));
  CHECK(!strcmp(nesl_error_message(error), "there is no engine 9"));
  nesl_error_free(error);
  const int engines[] = {NESL_ENGINE_CPU, NESL_ENGINE_INTERP};
  for (int i = 0; i < 2; i++) {
    options = (nesl_options){.size = sizeof options, .engine = engines[i], .threads = 2};
    nesl_session *session = nesl_session_new(&options, &error);
    CHECK(session && !error);
    wrong_programs(session);
    nesl_program *program = compile(session, text);
    nesl_callable *f = nesl_function(program, "SMXV", &error);
    nesl_callable *id = nesl_function(program, "id", &error);
    CHECK(f && id && !error);
    /* Another program of the same session has names of its own. */
    nesl_program_free(compile(session, "function smxv(m, v) = 0;"));
    nesl_session_free(session);
    nesl_program_free(program);
    good(f);
    bad(f);
    refused(f);
    shared(id);
    pthread_t threads[4];
    for (int t = 0; t < 4; t++) CHECK(!pthread_create(&threads[t], NULL, many, f));
    for (int t = 0; t < 4; t++) CHECK(!pthread_join(threads[t], NULL));
    nesl_callable_free(id);
    nesl_callable_free(f);
  }
  nesl_error_free(NULL);
  nesl_session_free(NULL);
  puts("all is well");
  return 0;
}
