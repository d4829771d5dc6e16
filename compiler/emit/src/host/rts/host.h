/* What entries and plans do on a CPU: memory, launches, and the end of a call that fails.
 *
 * A call holds all of its memory in a ring, so that wherever it fails nothing is lost. */

/* What is not known to grow. */
#define NESL_FULL SIZE_MAX

/* A vector in memory. */
typedef struct nesl_buffer {
  union {
    void *p;
    int64_t *i;
    double *f;
    uint8_t *b;
  };
  size_t size;     /* bytes of memory */
  int64_t holders; /* names that refer to it */
  size_t filled;   /* bytes that somebody needs, if it grows; else NESL_FULL */
  bool lent;       /* it is somebody else's: never written and never freed */
  struct nesl_buffer *next, *previous;
} nesl_buffer;

/* One call of an entry. */
typedef struct nesl_call {
  jmp_buf escape;
  int code;
  nesl_buffer all;      /* the ring's head */
  nesl_buffer *scratch; /* of launches, kept between them */
  nesl_state state;     /* of scalar functions that the host calls */
} nesl_call;

/* The call that this thread is in. */
static NESL_LOCAL nesl_call *nesl_current;

/* Ends the call. */
_Noreturn NESL_UNUSED static void nesl_leave(int code) {
  nesl_current->code = code;
  longjmp(nesl_current->escape, 1);
}

/* Ends the call because a check failed. */
_Noreturn NESL_UNUSED static void nesl_stop(int32_t row, int64_t a, int64_t b) {
  nesl_leave(nesl_describe(row, nesl_sites[row].code, a, b));
}

/* Ends the call with the program's own message. */
_Noreturn NESL_UNUSED static void nesl_raise(const nesl_call *call, int32_t row,
    const nesl_buffer *chars, int64_t start, int64_t length) {
  const int code = nesl_sites[row].code;
  nesl_begin_message(row, nesl_words[code]);
  nesl_say("%.*s", (int)nesl_min(length, sizeof nesl_said), (const char *)chars->b + start);
  nesl_leave(code);
}

/* Where the lane being run is. */
NESL_UNUSED static void nesl_positions(int32_t depth, const int64_t *positions) {
  nesl_depth = depth < NESL_PLACES ? depth : NESL_PLACES;
  memcpy(nesl_place, positions, (size_t)nesl_depth * sizeof *positions);
}

/* ---- memory ----------------------------------------------------------------------------- */

/* Where memory comes from and goes to. */
typedef void *nesl_allocator(size_t alignment, size_t bytes);
typedef void nesl_deallocator(void *memory);
static nesl_allocator *nesl_allocate = aligned_alloc;
static nesl_deallocator *nesl_deallocate = free;

/* So much memory, which begins at a line of the caches; null if there is none. */
static void *nesl_obtain(size_t bytes) {
  return bytes > PTRDIFF_MAX - 128 ? NULL : nesl_allocate(64, bytes / 64 * 64 + 64);
}

/* Puts memory into the ring of the call, with one name for it. */
static nesl_buffer *nesl_hold(nesl_call *call, void *memory, size_t size, bool lent) {
  nesl_buffer *buffer = nesl_obtain(sizeof *buffer);
  if (!buffer) {
    if (!lent) nesl_deallocate(memory);
    return NULL;
  }
  buffer->p = memory;
  buffer->size = size;
  buffer->holders = 1;
  buffer->filled = NESL_FULL;
  buffer->lent = lent;
  buffer->next = &call->all;
  buffer->previous = call->all.previous;
  buffer->previous->next = buffer;
  call->all.previous = buffer;
  return buffer;
}

/* The memory, or the end of the call if there is none. */
static nesl_buffer *nesl_need(nesl_buffer *buffer, size_t size, int32_t row) {
  if (!buffer) nesl_leave(nesl_describe(row, NESL_CODE_MEMORY, (int64_t)size, 1));
  return buffer;
}

/* Bytes of `count` elements; more than there are if that is no number. */
NESL_UNUSED static size_t nesl_bytes(int64_t count, size_t size) {
  if (count <= 0) return 0;
  return (uint64_t)count > PTRDIFF_MAX / size ? PTRDIFF_MAX : (size_t)count * size;
}

/* Memory for `count` elements of `size` bytes, of any contents. */
NESL_UNUSED static nesl_buffer *nesl_make(nesl_call *call, int64_t count, size_t size,
    int32_t row) {
  const size_t bytes = nesl_bytes(count, size);
  void *memory = nesl_obtain(bytes);
  return nesl_need(memory ? nesl_hold(call, memory, bytes, false) : NULL, bytes, row);
}

/* Zeros. */
NESL_UNUSED static nesl_buffer *nesl_zeros(nesl_call *call, int64_t count, size_t size,
    int32_t row) {
  nesl_buffer *buffer = nesl_make(call, count, size, row);
  memset(buffer->p, 0, nesl_bytes(count, size));
  return buffer;
}

/* Memory that is somebody else's. */
NESL_UNUSED static nesl_buffer *nesl_lend(nesl_call *call, const void *memory, int64_t count,
    size_t size) {
  const size_t bytes = nesl_bytes(count, size);
  return nesl_need(nesl_hold(call, (void *)memory, bytes, true), sizeof(nesl_buffer), -1);
}

/* One more name for a buffer. */
NESL_UNUSED static nesl_buffer *nesl_keep(nesl_buffer *buffer) {
  buffer->holders++;
  return buffer;
}

/* One name less; memory without a name is freed. */
static void nesl_drop(nesl_buffer *buffer) {
  if (--buffer->holders > 0) return;
  buffer->previous->next = buffer->next;
  buffer->next->previous = buffer->previous;
  if (!buffer->lent) nesl_deallocate(buffer->p);
  nesl_deallocate(buffer);
}

/* Whether so many bytes may be written to memory that nobody else refers to: there is room for
 * them, and not much more. */
NESL_UNUSED static bool nesl_fits(const nesl_buffer *buffer, size_t bytes) {
  const bool wastes = buffer->size >= 1 << 16 && buffer->size / 4 > bytes;
  return buffer->holders == 1 && !buffer->lent && bytes <= buffer->size && !wastes;
}

/* Memory as `nesl_make` gives it, or that of `over` if that ends here and is read from its start
 * on. */
NESL_UNUSED static nesl_buffer *nesl_make_over(nesl_call *call, int64_t count, size_t size,
    nesl_buffer *over, int64_t start, int32_t row) {
  if (start != 0 || !nesl_fits(over, nesl_bytes(count, size))) {
    return nesl_make(call, count, size, row);
  }
  over->filled = NESL_FULL;
  return nesl_keep(over);
}

/* A copy of the first elements. */
NESL_UNUSED static nesl_buffer *nesl_copy(nesl_call *call, const nesl_buffer *from, int64_t count,
    size_t size, int32_t row) {
  nesl_buffer *buffer = nesl_make(call, count, size, row);
  memcpy(buffer->p, from->p, nesl_bytes(count, size));
  return buffer;
}

/* The same where the original ends here: then it can be the copy. */
NESL_UNUSED static nesl_buffer *nesl_copy_last(nesl_call *call, nesl_buffer *from, int64_t count,
    size_t size, int32_t row) {
  if (nesl_fits(from, nesl_bytes(count, size))) {
    from->filled = NESL_FULL;
    return from;
  }
  nesl_buffer *buffer = nesl_copy(call, from, count, size, row);
  nesl_drop(from);
  return buffer;
}

/* Whether nobody else needs a buffer that ends here or not. */
NESL_UNUSED static bool nesl_alone(const nesl_buffer *buffer, bool ends) {
  return ends && buffer->holders == 1;
}

/* Behind which element of a buffer others may be put. */
NESL_UNUSED static int64_t nesl_behind(const nesl_buffer *buffer, size_t size, bool ends) {
  return nesl_alone(buffer, ends) || buffer->filled == NESL_FULL ? 0 : (int64_t)((buffer->filled + size - 1) / size);
}

/* How many elements were put into a buffer. */
NESL_UNUSED static int64_t nesl_there(const nesl_buffer *buffer, size_t size) {
  return (int64_t)((buffer->filled == NESL_FULL ? buffer->size : buffer->filled) / size);
}

/* Whether `more` elements have room from `begin` on. */
NESL_UNUSED static bool nesl_holds(const nesl_buffer *buffer, size_t size, bool ends, int64_t begin,
    int64_t more) {
  if (nesl_alone(buffer, ends)) return true;
  return buffer->filled != NESL_FULL && nesl_bytes(begin + more, size) <= buffer->size;
}

/* Room for `count` elements, the first `used` of which are those of another; and to grow again.  The
 * same memory, if it has room, and nobody needs what is there from `begin` on. */
NESL_UNUSED static nesl_buffer *nesl_grow(nesl_call *call, nesl_buffer *from, int64_t used,
    int64_t begin, int64_t count, size_t size, int32_t row) {
  const size_t bytes = nesl_bytes(count, size);
  if (from->filled <= nesl_bytes(begin, size) && bytes <= from->size) {
    from->filled = bytes;
    return nesl_keep(from);
  }
  nesl_buffer *buffer = nesl_make(call, used > 0 ? 2 * count : count, size, row);
  memcpy(buffer->p, from->p, nesl_bytes(used, size));
  buffer->filled = bytes;
  return buffer;
}

/* The same where the original ends here. */
NESL_UNUSED static nesl_buffer *nesl_grow_last(nesl_call *call, nesl_buffer *from, int64_t used,
    int64_t begin, int64_t count, size_t size, int32_t row) {
  if (nesl_fits(from, nesl_bytes(count, size))) {
    from->filled = nesl_bytes(count, size);
    return from;
  }
  nesl_buffer *buffer = nesl_grow(call, from, used, begin, count, size, row);
  nesl_drop(from);
  return buffer;
}

/* ---- launches --------------------------------------------------------------------------- */

/* How many cores run a launch of this thread at most; 0 stands for as many as OpenMP gives. */
static NESL_LOCAL int32_t nesl_wanted_cores;

/* How many cores run a launch. */
#ifdef _OPENMP
enum { NESL_CORES = 256 };
static int32_t nesl_cores(void) {
  const int32_t wanted = nesl_wanted_cores > 0 ? nesl_wanted_cores : omp_get_max_threads();
  return (int32_t)nesl_min(wanted, NESL_CORES);
}
#else
static int32_t nesl_cores(void) { return 1; }
#endif

/* Launches that work on fewer elements stay on one core: to wake others costs more. */
enum { NESL_SERIAL = 1 << 15 };

typedef void nesl_kernel(nesl_launch *run, int32_t worker, const nesl_arg *args);
typedef void nesl_planner(int32_t size, const nesl_arg *args, nesl_plan *plan);

/* Runs a kernel once on at most `size` cores; tells whether it failed. */
static bool nesl_run_kernel(nesl_call *call, nesl_kernel *kernel, nesl_planner *planner, int32_t size,
    const nesl_arg *args) {
  nesl_plan plan = {0, 0, 0};
  planner(size, args, &plan);
  size = (int32_t)nesl_max(1, nesl_min(size, plan.tiles));
  if (plan.scratch > 0 && (!call->scratch || call->scratch->size < (size_t)plan.scratch)) {
    if (call->scratch) nesl_drop(call->scratch);
    call->scratch = NULL;
    call->scratch = nesl_make(call, plan.scratch, 1, -1);
  }
  if (plan.cleared > 0) memset(call->scratch->p, 0, (size_t)plan.cleared);
  nesl_launch run;
  memset(&run, 0, sizeof run);
  run.team.size = size;
  run.scratch = plan.scratch > 0 ? call->scratch->p : NULL;
#ifdef _OPENMP
  if (size > 1) {
    const char *floors[NESL_CORES];
    run.stack = floors;
#pragma omp parallel num_threads(size)
    {
#pragma omp single
      run.team.size = omp_get_num_threads();
      const int32_t worker = omp_get_thread_num();
      floors[worker] = nesl_stack_floor();
      kernel(&run, worker, args);
    }
    return nesl_failed(&run);
  }
#endif
  run.stack = &call->state.stack;
  kernel(&run, 0, args);
  return nesl_failed(&run);
}

/* Runs a kernel.  Where a check fails, `diagnosis` is the same kernel, which stops at the first. */
static void nesl_start(nesl_call *call, nesl_kernel *kernel, nesl_planner *planner,
    nesl_kernel *diagnosis, int64_t work, const nesl_arg *args) {
  if (!nesl_run_kernel(call, kernel, planner, work < NESL_SERIAL ? 1 : nesl_cores(), args)) return;
  nesl_run_kernel(call, diagnosis, planner, 1, args);
  nesl_leave(nesl_describe(-1, NESL_CODE_BROKEN, 0, 0));
}

/* NESL_LAUNCH(kernel, work, arguments...): about so many elements are worked on. */
#define NESL_LAUNCH(kernel, work, ...) \
  nesl_start(call, kernel, kernel##_plan, NULL, work, (const nesl_arg[]){__VA_ARGS__})

/* The same for kernels that can fail. */
#define NESL_LAUNCH_CHECKED(kernel, work, ...)                               \
  nesl_start(call, kernel, kernel##_plan, kernel##_diagnosis, work, \
             (const nesl_arg[]){__VA_ARGS__})

/* ---- calls ------------------------------------------------------------------------------ */

/* Begins a call. */
static void nesl_begin(nesl_call *call) {
  memset(call, 0, sizeof *call);
  call->all.next = call->all.previous = &call->all;
  call->state.stack = nesl_stack_floor();
  nesl_depth = 0;
  nesl_current = call;
}

/* Ends it: frees what it still holds, and gives its code. */
static int nesl_end(nesl_call *call) {
  while (call->all.next != &call->all) {
    call->all.next->holders = 1;
    nesl_drop(call->all.next);
  }
  nesl_current = NULL;
  return call->code;
}

/* Stops a recursion for which there is no stack left. */
NESL_UNUSED static void nesl_descend(const nesl_call *call, int32_t row) {
  if (!nesl_stack_left(&call->state)) nesl_stop(row, 0, 0);
}

/* ---- arguments and results -------------------------------------------------------------- */

/* Refuses an argument. */
static void nesl_refuse(const char *name, const char *what, int64_t number) {
  nesl_said[0] = 0;
  nesl_say("%s: input: `%s`: %s%lld", NESL_SOURCE, name, what, (long long)number);
  nesl_leave(NESL_CODE_INPUT);
}

/* The longest length. */
#define NESL_LONGEST ((int64_t)1 << 47)

/* Refuses a length that is none. */
NESL_UNUSED static void nesl_check_length(const char *name, int64_t length) {
  if (length < 0 || length > NESL_LONGEST) nesl_refuse(name, "a length of ", length);
}

/* Refuses offsets that are not there, do not begin with 0 or fall; gives the last. */
NESL_UNUSED static int64_t nesl_check_offsets(const char *name, const int64_t *offsets,
    int64_t length) {
  if (!offsets) nesl_refuse(name, "null as offsets of so many sequences: ", length);
  if (offsets[0] != 0) nesl_refuse(name, "offsets begin with ", offsets[0]);
  for (int64_t i = 0; i < length; i++) {
    if (offsets[i + 1] < offsets[i]) nesl_refuse(name, "offsets fall after number ", i);
  }
  if (offsets[length] > NESL_LONGEST) nesl_refuse(name, "offsets end with ", offsets[length]);
  return offsets[length];
}

/* Memory for the caller. */
typedef nesl_buffer nesl_result;

/* Elements of a result: where stretches of them start, and how long they are. */
typedef struct nesl_stretches {
  int64_t count;
  const int64_t *starts, *lengths;
  int64_t total;
} nesl_stretches;

/* The elements of stretches, one after the other. */
NESL_UNUSED static nesl_result *nesl_gather(nesl_call *call, nesl_buffer *from,
    nesl_stretches lanes, size_t size) {
  if (lanes.count == 1 && lanes.starts[0] == 0) {
    if (nesl_fits(from, nesl_bytes(lanes.total, size))) return nesl_keep(from);
  }
  nesl_buffer *buffer = nesl_make(call, lanes.total, size, -1);
  uint8_t *to = buffer->b;
  for (int64_t i = 0; i < lanes.count;) {
    const int64_t start = lanes.starts[i];
    int64_t length = lanes.lengths[i];
    while (++i < lanes.count && lanes.starts[i] == start + length) length += lanes.lengths[i];
    memcpy(to, from->b + (size_t)start * size, (size_t)length * size);
    to += (size_t)length * size;
  }
  return buffer;
}

/* The offsets of segments of these lengths.  Segments share elements, so that together they may be
 * longer than any vector. */
NESL_UNUSED static nesl_result *nesl_offsets(nesl_call *call, const int64_t *lengths,
    int64_t count) {
  nesl_result *offsets = nesl_make(call, count + 1, sizeof(int64_t), -1);
  offsets->i[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    if (lengths[i] > NESL_LONGEST - offsets->i[i]) nesl_need(NULL, PTRDIFF_MAX, -1);
    offsets->i[i + 1] = offsets->i[i] + lengths[i];
  }
  return offsets;
}

/* Refuses null for elements that there are. */
NESL_UNUSED static void nesl_check_there(const char *name, const void *elements, int64_t count) {
  if (!elements && count > 0) nesl_refuse(name, "null, and so many elements: ", count);
}

/* Hands memory over to the caller. */
NESL_UNUSED static void *nesl_release(nesl_result *buffer) {
  void *memory = buffer->p;
  buffer->lent = true;
  return memory;
}
