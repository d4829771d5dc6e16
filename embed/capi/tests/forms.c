/* Arguments and results as arrays, as arrays with a device and as streams, which count how often they
 * are released; nulls and what takes their place; layouts that are asked for. */
#include "arrays.h"

#include <stdbool.h>

/* ---- streams ----------------------------------------------------------------------------- */

/* A stream of ints in chunks. */
struct chunks {
  struct ArrowArrayStream stream;
  const int64_t *values;
  int64_t lengths[3];
  int count; /* how many chunks there are */
  int next;
  int fails; /* the call for a chunk that fails, or -1 */
  int given, arrays_released, schemas_released, released;
};

static void count_array(struct ArrowArray *array) {
  ++((struct chunks *)array->private_data)->arrays_released;
  free(array->buffers);
  array->release = NULL;
}

static void count_schema(struct ArrowSchema *schema) {
  ++((struct chunks *)schema->private_data)->schemas_released;
  schema->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  *out = (struct ArrowSchema){.format = "l", .name = "", .release = count_schema,
      .private_data = stream->private_data};
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  struct chunks *c = stream->private_data;
  if (c->next == c->fails) return 5;
  if (c->next == c->count) {
    *out = (struct ArrowArray){.release = NULL};
    return 0;
  }
  const void **buffers = malloc(2 * sizeof *buffers);
  buffers[0] = NULL;
  buffers[1] = c->values;
  *out = (struct ArrowArray){.length = c->lengths[c->next], .n_buffers = 2, .buffers = buffers,
      .release = count_array, .private_data = c};
  c->values += c->lengths[c->next++];
  c->given++;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return "the well is dry";
}

static void release_stream(struct ArrowArrayStream *stream) {
  ++((struct chunks *)stream->private_data)->released;
  stream->release = NULL;
}

static void make_chunks(struct chunks *c, const int64_t *values, int count, const int64_t *lengths) {
  memset(c, 0, sizeof *c);
  c->values = values;
  c->count = count;
  c->fails = -1;
  for (int i = 0; i < count; i++) c->lengths[i] = lengths[i];
  c->stream = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, c};
}

/* Stream, schema and each chunk were released once. */
static bool all_released(const struct chunks *c) {
  return c->released == 1 && c->schemas_released == 1 && c->arrays_released == c->given &&
         !c->stream.release;
}

/* ---- calls ------------------------------------------------------------------------------- */

static const char text[] =
    "function add(v, n) : ([int], int) -> [int] = {x + n : x in v};\n"
    "function rows(v) : [int] -> [[int]] = {[0:x] : x in v};\n";

static const int64_t values[] = {1, 2, 3, 4, 5, 6};

static void ok(int failed, nesl_error *error) {
  if (!failed) return;
  fprintf(stderr, "%s\n", nesl_error_text(error));
  exit(1);
}

static void is(const char *code, const char *message, nesl_error *error) {
  if (strcmp(nesl_error_code(error), code) || strcmp(nesl_error_message(error), message)) {
    fprintf(stderr, "%s: %s\n", nesl_error_code(error), nesl_error_message(error));
    exit(1);
  }
  nesl_error_free(error);
}

/* A stream and an array with a device in, a stream out. */
static void streams(const nesl_callable *add) {
  for (int count = 0; count <= 3; count++) {
    static const int64_t lengths[] = {3, 0, 2};
    struct chunks c;
    struct made n;
    make_chunks(&c, values, count, lengths);
    make(&n, "l", 1, values + 5, 0, NULL, NULL);
    struct ArrowDeviceArray device = {.array = n.array, .device_id = -1,
        .device_type = ARROW_DEVICE_CPU};
    nesl_argument arguments[] = {{.stream = &c.stream}, {.schema = &n.schema, .device = &device}};
    struct ArrowArrayStream out;
    nesl_result result = {.stream = &out};
    nesl_error *error;
    ok(nesl_call_with(add, arguments, 2, &result, &error), error);
    CHECK(all_released(&c) && c.given == count && n.released == 1 && !device.array.release);
    struct ArrowSchema schema;
    struct ArrowArray array, end;
    for (int i = 0; i < 2; i++) {
      CHECK(!out.get_schema(&out, &schema) && !strcmp(schema.format, "l"));
      schema.release(&schema);
    }
    CHECK(!out.get_next(&out, &array) && !out.get_next(&out, &end) && !end.release);
    out.release(&out);
    CHECK(!out.release);
    static const int64_t totals[] = {0, 3, 3, 5};
    CHECK(array.length == totals[count]);
    for (int64_t i = 0; i < array.length; i++)
      CHECK(((const int64_t *)array.buffers[1])[i] == values[i] + 6);
    array.release(&array);
  }
}

/* A stream that fails, with its own text. */
static void failing(const nesl_callable *rows) {
  for (int fails = 0; fails <= 2; fails++) {
    static const int64_t lengths[] = {3, 2};
    struct chunks c;
    make_chunks(&c, values, 2, lengths);
    c.fails = fails;
    nesl_argument argument = {.stream = &c.stream};
    struct ArrowArrayStream out;
    nesl_result result = {.stream = &out};
    nesl_error *error;
    CHECK(nesl_call_with(rows, &argument, 1, &result, &error));
    is("N0601", "`v`: the stream failed: the well is dry", error);
    CHECK(all_released(&c) && c.given == fails && !out.release);
  }
}

/* List views, in a table, with a device. */
static void layouts(const nesl_callable *rows) {
  struct made v;
  make(&v, "l", 3, values, 0, NULL, NULL);
  nesl_argument argument = {.schema = &v.schema, .array = &v.array};
  struct ArrowSchema schema;
  struct ArrowDeviceArray out;
  nesl_result result = {.schema = &schema, .device = &out, .flags = NESL_LIST_VIEWS | NESL_TABLE};
  nesl_error *error;
  ok(nesl_call_with(rows, &argument, 1, &result, &error), error);
  CHECK(v.released == 1 && !v.array.release);
  CHECK(out.device_type == ARROW_DEVICE_CPU && out.device_id == -1 && !out.sync_event);
  CHECK(!strcmp(schema.format, "+s") && !strcmp(schema.children[0]->format, "+vL"));
  struct ArrowArray *lists = out.array.children[0];
  const int64_t *starts = lists->buffers[1], *sizes = lists->buffers[2];
  const int64_t *elements = lists->children[0]->buffers[1];
  CHECK(out.array.length == 3 && lists->length == 3);
  for (int64_t i = 0; i < 3; i++) {
    CHECK(sizes[i] == i + 1);
    for (int64_t k = 0; k < sizes[i]; k++) CHECK(elements[starts[i] + k] == k);
  }
  schema.release(&schema);
  out.array.release(&out.array);
}

/* Nulls are errors, or filled. */
static void nulls(const nesl_callable *rows) {
  static const uint8_t valid[] = {5};
  nesl_fill fill = {.ints = 2};
  for (int filled = 0; filled < 2; filled++) {
    struct made v;
    make(&v, "l", 3, values, 0, NULL, NULL);
    v.buffers[0] = valid;
    v.array.null_count = -1;
    v.array.buffers = v.buffers;
    nesl_argument argument = {.schema = &v.schema, .array = &v.array,
        .fill = filled ? &fill : NULL};
    struct ArrowSchema schema;
    struct ArrowArray out;
    nesl_result result = {.schema = &schema, .array = &out};
    nesl_error *error;
    int failed = nesl_call_with(rows, &argument, 1, &result, &error);
    CHECK(v.released == 1);
    if (!filled) {
      CHECK(failed && !schema.release && !out.release);
      is("N0601", "`v` in row 1: it is null, and NESL has no nulls", error);
      continue;
    }
    ok(failed, error);
    const int64_t *offsets = out.buffers[1];
    CHECK(out.length == 3 && offsets[1] == 1 && offsets[2] == 3 && offsets[3] == 6);
    schema.release(&schema);
    out.release(&out);
  }
}

/* Arguments and results that are in no form, or in too many; memory of other devices. */
static void wrong(const nesl_callable *rows) {
  struct made v;
  struct chunks c;
  struct ArrowSchema schema;
  struct ArrowArray array;
  nesl_error *error;
  nesl_result result = {.schema = &schema, .array = &array};
  static const int64_t lengths[] = {1};
  make(&v, "l", 1, values, 0, NULL, NULL);
  make_chunks(&c, values, 1, lengths);
  nesl_argument both = {.schema = &v.schema, .array = &v.array, .stream = &c.stream}, none = {0};
  CHECK(nesl_call_with(rows, &both, 1, &result, &error));
  is("N0601", "`v` is not given in one of the forms", error);
  CHECK(v.released == 1 && c.released == 1 && !c.stream.release);
  CHECK(nesl_call_with(rows, &none, 1, &result, &error));
  is("N0601", "`v` is not given in one of the forms", error);

  make(&v, "l", 1, values, 0, NULL, NULL);
  nesl_argument untyped = {.array = &v.array};
  CHECK(nesl_call_with(rows, &untyped, 1, &result, &error) && v.released == 1);
  is("N0601", "the schema of `v` is a null pointer", error);

  make(&v, "l", 1, values, 0, NULL, NULL);
  struct ArrowDeviceArray device = {.array = v.array, .device_id = 77,
      .device_type = ARROW_DEVICE_CUDA};
  nesl_argument remote = {.schema = &v.schema, .device = &device};
  CHECK(nesl_call_with(rows, &remote, 1, &result, &error) && v.released == 1);
  is("N0601", "`v` is in the memory of a GPU, and cannot be had: GPU 77 is not known", error);

  nesl_result results[] = {{0}, {.array = &array}, {.schema = &schema, .array = &array, .flags = 4}};
  for (int i = 0; i < 3; i++) {
    make(&v, "l", 1, values, 0, NULL, NULL);
    nesl_argument argument = {.schema = &v.schema, .array = &v.array};
    CHECK(nesl_call_with(rows, &argument, 1, &results[i], &error) && v.released == 1);
    is("N0601", i < 2 ? "the result has no place in one of the forms"
                      : "there is no flag 4 of results", error);
  }
  CHECK(nesl_call_with(rows, NULL, 1, &result, NULL));
  CHECK(nesl_call_with(NULL, NULL, 0, &result, NULL));
  CHECK(nesl_call_with(rows, NULL, 0, NULL, NULL));
  CHECK(nesl_call_with(rows, NULL, 0, &result, &error));
  CHECK(!strcmp(nesl_error_code(error), "N0601"));
  nesl_error_free(error);
}

int main(void) {
  const int engines[] = {NESL_ENGINE_CPU, NESL_ENGINE_INTERP};
  for (int i = 0; i < 2; i++) {
    nesl_options options = {.size = sizeof options, .engine = engines[i], .threads = 2};
    nesl_error *error;
    nesl_session *session = nesl_session_new(&options, &error);
    if (!session) ok(1, error);
    nesl_program *program;
    ok(nesl_compile(session, text, strlen(text), &program, &error), error);
    nesl_callable *add = nesl_function(program, "add", NULL);
    nesl_callable *rows = nesl_function(program, "rows", NULL);
    CHECK(add && rows);
    streams(add);
    failing(rows);
    layouts(rows);
    nulls(rows);
    wrong(rows);
    nesl_callable_free(add);
    nesl_callable_free(rows);
    nesl_program_free(program);
    nesl_session_free(session);
  }
  puts("all is well");
  return 0;
}
