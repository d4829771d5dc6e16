/* What entries and plans do on the host of a GPU: memory, launches, and the end of a call that
 * fails.
 *
 * Nothing waits that need not: launches, copies and memory follow each other in the order of one
 * stream.  The first check that fails sets a word which every kernel looks at before it does
 * anything; when the host waits, the launch that failed runs again in a form that tells which check
 * it was.  Include after run.cuh. */

/* A call ends by this. */
struct nesl_failure {
  int code;
};

/* Ends the call. */
[[noreturn]] static void nesl_leave(int code) { throw nesl_failure{code}; }

/* Ends the call because a check failed. */
[[noreturn]] static void nesl_stop(int32_t row, int64_t a, int64_t b) {
  nesl_leave(nesl_describe(row, nesl_sites[row].code, a, b));
}

/* Ends the call if the GPU refuses something. */
static void nesl_check(cudaError_t error) {
  if (error == cudaSuccess) return;
  nesl_said[0] = 0;
  nesl_say("%s: the GPU fails: %s", NESL_SOURCE, cudaGetErrorString(error));
  nesl_leave(NESL_CODE_BROKEN);
}

/* ---- the GPU ---------------------------------------------------------------------------- */

enum { NESL_CELLS = 4096 }; /* scalars that launches set and the host has not read */

/* What a thread of the host needs of a GPU, made when it is first needed and kept. */
struct nesl_gpu {
  int device = -1;
  cudaStream_t stream = nullptr;
  cudaMemPool_t pool = nullptr;
  uint32_t *told = nullptr;    /* in memory of the host: the launch that failed, or 0 */
  nesl_word *cells = nullptr;  /* in memory of the host */
  uint32_t *words = nullptr;   /* `failed` and `ended` */
  nesl_report *report = nullptr;
  char *scratch = nullptr;
  size_t size = 0;             /* bytes of scratch */
  uint32_t number = 0;         /* of the last launch */
  uint32_t cell = 0;           /* the next */
  bool deep = false;           /* whether threads have the stack that recursion wants */
};

static thread_local nesl_gpu nesl_own;

/* Makes it ready. */
static nesl_gpu *nesl_ready() {
  nesl_gpu *gpu = &nesl_own;
  int device;
  nesl_check(cudaGetDevice(&device));
  if (gpu->device == device) return gpu;
  *gpu = nesl_gpu();
  nesl_check(cudaStreamCreateWithFlags(&gpu->stream, cudaStreamNonBlocking));
  cudaMemPoolProps about;
  memset(&about, 0, sizeof about);
  about.allocType = cudaMemAllocationTypePinned;
  about.location.type = cudaMemLocationTypeDevice;
  about.location.id = device;
  nesl_check(cudaMemPoolCreate(&gpu->pool, &about));
  /* What is freed stays: the inputs of a launch that failed are looked at again. */
  uint64_t all = UINT64_MAX;
  nesl_check(cudaMemPoolSetAttribute(gpu->pool, cudaMemPoolAttrReleaseThreshold, &all));
  nesl_check(cudaMallocHost((void **)&gpu->told, sizeof *gpu->told));
  nesl_check(cudaMallocHost((void **)&gpu->cells, NESL_CELLS * sizeof *gpu->cells));
  nesl_check(cudaMalloc((void **)&gpu->words, 4 * sizeof *gpu->words));
  nesl_check(cudaMalloc((void **)&gpu->report, sizeof *gpu->report));
  nesl_check(cudaMemsetAsync(gpu->words, 0, 4 * sizeof *gpu->words, gpu->stream));
  *gpu->told = 0;
  gpu->device = device;
  return gpu;
}

/* ---- calls ------------------------------------------------------------------------------ */

/* The state of scalar functions that the host calls: a check that fails ends the call. */
struct nesl_host_state {
  bool fault = false;
  const char *stack = nullptr;
};

/* What is not known to grow. */
static constexpr size_t NESL_FULL = SIZE_MAX;

/* A vector in the memory of the GPU. */
struct nesl_buffer {
  union {
    void *p;
    int64_t *i;
    double *f;
    uint8_t *b;
  };
  size_t size;     /* bytes of memory */
  int64_t holders; /* names that refer to it */
  size_t filled;   /* bytes that somebody needs, if it grows; else NESL_FULL */
  nesl_buffer *next, *previous;
};

/* Memory for the caller. */
struct nesl_result {
  union {
    void *p;
    int64_t *i;
    uint8_t *b;
  };
  bool released;
};

/* A launch that may have failed, to be made again. */
struct nesl_pending {
  uint32_t number;
  size_t words; /* bytes of scratch */
  int64_t tiles;
  std::function<void(const nesl_run &)> again;
};

/* Where memory of results comes from and goes to. */
typedef void *nesl_allocator(size_t alignment, size_t bytes);
typedef void nesl_deallocator(void *memory);
static nesl_allocator *nesl_allocate = aligned_alloc;
static nesl_deallocator *nesl_deallocate = free;

/* One call of an entry. */
struct nesl_call {
  int code = 0;
  nesl_gpu *gpu = nullptr;
  nesl_buffer all; /* the ring's head */
  std::vector<nesl_pending> pending;
  std::vector<nesl_result *> results;
  std::vector<std::vector<char>> copies; /* of what scalar functions read on the host */
  nesl_host_state state;                 /* of scalar functions that the host calls */
};

/* Begins a call. */
static void nesl_begin(nesl_call *call) {
  call->all.next = call->all.previous = &call->all;
  call->state.stack = nesl_stack_floor();
  nesl_depth = 0;
  call->gpu = nesl_ready();
}

static void nesl_drop(nesl_buffer *buffer);

/* Ends it: frees what it still holds, and gives its code. */
static int nesl_end(nesl_call *call) {
  if (!call->gpu) return call->code;
  while (call->all.next != &call->all) {
    call->all.next->holders = 1;
    nesl_drop(call->all.next);
  }
  for (nesl_result *result : call->results) {
    if (!result->released && result->p) nesl_deallocate(result->p);
    delete result;
  }
  return call->code;
}

/* Stops a recursion for which there is no stack left. */
static void nesl_descend(const nesl_call *call, int32_t row) {
  if ((const char *)__builtin_frame_address(0) < call->state.stack) nesl_stop(row, 0, 0);
}

/* ---- scratch memory of launches --------------------------------------------------------- */

/* Sets the words that launches share to what they are before the first. */
static void nesl_reset(nesl_gpu *gpu) {
  nesl_check(cudaMemsetAsync(gpu->words, 0, 4 * sizeof *gpu->words, gpu->stream));
  if (gpu->size) nesl_check(cudaMemsetAsync(gpu->scratch, 0, gpu->size, gpu->stream));
  nesl_check(cudaStreamSynchronize(gpu->stream));
  *gpu->told = 0;
}

/* What every launch is handed.  Words of all tiles end at a third of the scratch and cells begin
 * there, two words each, so that no word of one launch is taken for a cell by another. */
static nesl_run nesl_hand(nesl_gpu *gpu, int64_t tiles, size_t words) {
  const size_t needed = (words + 511) / 512 * 1536;
  if (needed > gpu->size) {
    if (gpu->scratch) nesl_check(cudaFreeAsync(gpu->scratch, gpu->stream));
    gpu->scratch = nullptr;
    gpu->size = 0;
    nesl_check(cudaMallocFromPoolAsync((void **)&gpu->scratch, 2 * needed, gpu->pool, gpu->stream));
    gpu->size = 2 * needed;
    nesl_check(cudaMemsetAsync(gpu->scratch, 0, gpu->size, gpu->stream));
  }
  if (++gpu->number == 0) {
    /* Cells of old launches would look like new ones. */
    if (gpu->size) nesl_check(cudaMemsetAsync(gpu->scratch, 0, gpu->size, gpu->stream));
    gpu->number = 1;
  }
  nesl_run run;
  memset(&run, 0, sizeof run);
  run.failed = gpu->words;
  run.told = gpu->told;
  run.ended = gpu->words + 1;
  run.scratch = words ? (nesl_word *)(gpu->scratch + gpu->size / 3 - words) : nullptr;
  run.report = gpu->report;
  run.tiles = tiles;
  run.number = gpu->number;
  run.few = 1024; /* as for programs that are not built: `FEW` of the device */
  return run;
}

/* ---- failures --------------------------------------------------------------------------- */

/* Finds out which check failed first in a launch, and ends the call. */
static void nesl_diagnose(nesl_call *call, uint32_t number) {
  nesl_gpu *gpu = call->gpu;
  for (const nesl_pending &launch : call->pending) {
    if (launch.number != number) continue;
    nesl_report report;
    memset(&report, 0, sizeof report);
    report.key = UINT64_MAX;
    report.site = -1;
    for (int32_t tell = 0; tell < 2; tell++) {
      nesl_reset(gpu);
      report.tell = tell;
      nesl_report *own = gpu->report;
      const size_t size = sizeof report;
      nesl_check(cudaMemcpyAsync(own, &report, size, cudaMemcpyHostToDevice, gpu->stream));
      launch.again(nesl_hand(gpu, launch.tiles, launch.words));
      nesl_check(cudaMemcpyAsync(&report, own, size, cudaMemcpyDeviceToHost, gpu->stream));
      nesl_check(cudaStreamSynchronize(gpu->stream));
    }
    nesl_reset(gpu);
    if (report.site < 0) break;
    nesl_depth = report.depth < NESL_PLACES ? report.depth : NESL_PLACES;
    for (int32_t i = 0; i < nesl_depth; i++) nesl_place[i] = report.positions[i];
    nesl_stop(report.site, report.operands[0], report.operands[1]);
  }
  nesl_reset(gpu);
  nesl_leave(nesl_describe(-1, NESL_CODE_BROKEN, 0, 0));
}

/* Waits for everything that was launched. */
static void nesl_wait(nesl_call *call) {
  nesl_check(cudaStreamSynchronize(call->gpu->stream));
  if (*call->gpu->told) nesl_diagnose(call, *call->gpu->told);
  call->pending.clear();
}

/* The code of a call that ended: what a launch has to tell comes before what the host found after
 * it. */
static int nesl_first(nesl_call *call, int code) {
  try {
    if (call->gpu) nesl_wait(call);
  } catch (const nesl_failure &earlier) {
    return earlier.code;
  }
  return code;
}

/* Waits if a launch may have failed: what follows does not look whether one has. */
static void nesl_settle(nesl_call *call) {
  if (!call->pending.empty()) nesl_wait(call);
}

/* ---- memory ----------------------------------------------------------------------------- */

/* Bytes of `count` elements; more than there are if that is no number. */
static size_t nesl_bytes(int64_t count, size_t size) {
  if (count <= 0 || size == 0) return 0;
  return (uint64_t)count > INT64_MAX / size ? INT64_MAX : (size_t)count * size;
}

/* Memory for `count` elements of `size` bytes, of any contents. */
static nesl_buffer *nesl_make(nesl_call *call, int64_t count, size_t size, int32_t row) {
  const size_t bytes = nesl_bytes(count, size);
  nesl_gpu *gpu = call->gpu;
  void *memory = nullptr;
  const size_t asked = bytes ? bytes : 1;
  cudaError_t error = cudaMallocFromPoolAsync(&memory, asked, gpu->pool, gpu->stream);
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    nesl_wait(call);
    nesl_check(cudaMemPoolTrimTo(gpu->pool, 0));
    error = cudaMallocFromPoolAsync(&memory, asked, gpu->pool, gpu->stream);
  }
  if (error == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    nesl_leave(nesl_describe(row, NESL_CODE_MEMORY, (int64_t)bytes, 1));
  }
  nesl_check(error);
  nesl_buffer *buffer = new nesl_buffer;
  buffer->p = memory;
  buffer->size = bytes;
  buffer->holders = 1;
  buffer->filled = NESL_FULL;
  buffer->next = &call->all;
  buffer->previous = call->all.previous;
  buffer->previous->next = buffer;
  call->all.previous = buffer;
  return buffer;
}

/* One more name for a buffer. */
static nesl_buffer *nesl_keep(nesl_buffer *buffer) {
  buffer->holders++;
  return buffer;
}

/* One name less; memory without a name is freed. */
static void nesl_drop(nesl_buffer *buffer) {
  if (--buffer->holders > 0) return;
  buffer->previous->next = buffer->next;
  buffer->next->previous = buffer->previous;
  cudaFreeAsync(buffer->p, nesl_own.stream);
  delete buffer;
}

/* A copy of memory of the host. */
static nesl_buffer *nesl_lend(nesl_call *call, const void *memory, int64_t count, size_t size) {
  nesl_buffer *buffer = nesl_make(call, count, size, -1);
  if (count <= 0) return buffer;
  nesl_settle(call);
  const size_t bytes = nesl_bytes(count, size);
  cudaStream_t stream = call->gpu->stream;
  nesl_check(cudaMemcpyAsync(buffer->p, memory, bytes, cudaMemcpyHostToDevice, stream));
  return buffer;
}

/* Sets bytes to 0 unless a launch has failed. */
static __global__ void nesl_fill(const uint32_t *failed, uint8_t *to, uint64_t bytes) {
  if (*failed) return;
  const uint64_t start = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
  const uint64_t step = gridDim.x * (uint64_t)blockDim.x;
  for (uint64_t i = start; i < bytes / 8; i += step) ((uint64_t *)to)[i] = 0;
  for (uint64_t i = bytes / 8 * 8 + start; i < bytes; i += step) to[i] = 0;
}

/* Copies bytes unless a launch has failed. */
static __global__ void nesl_move(const uint32_t *failed, uint8_t *to, const uint8_t *from,
    uint64_t bytes) {
  if (*failed) return;
  const uint64_t start = blockIdx.x * (uint64_t)blockDim.x + threadIdx.x;
  const uint64_t step = gridDim.x * (uint64_t)blockDim.x;
  for (uint64_t i = start; i < bytes / 8; i += step) ((uint64_t *)to)[i] = ((uint64_t *)from)[i];
  for (uint64_t i = bytes / 8 * 8 + start; i < bytes; i += step) to[i] = from[i];
}

/* Blocks of 256 threads that move so many bytes. */
static unsigned nesl_blocks(size_t bytes) {
  return (unsigned)nesl_min(4096, (int64_t)(bytes / 2048) + 1);
}

/* Zeros. */
static nesl_buffer *nesl_zeros(nesl_call *call, int64_t count, size_t size, int32_t row) {
  nesl_buffer *buffer = nesl_make(call, count, size, row);
  const size_t bytes = nesl_bytes(count, size);
  nesl_gpu *gpu = call->gpu;
  nesl_fill<<<nesl_blocks(bytes), 256, 0, gpu->stream>>>(gpu->words, buffer->b, bytes);
  nesl_check(cudaGetLastError());
  return buffer;
}

/* A copy of the first elements. */
static nesl_buffer *nesl_copy(nesl_call *call, const nesl_buffer *from, int64_t count, size_t size,
    int32_t row) {
  nesl_buffer *buffer = nesl_make(call, count, size, row);
  const size_t bytes = nesl_bytes(count, size);
  nesl_gpu *gpu = call->gpu;
  nesl_move<<<nesl_blocks(bytes), 256, 0, gpu->stream>>>(gpu->words, buffer->b, from->b, bytes);
  nesl_check(cudaGetLastError());
  return buffer;
}

/* Whether so many bytes may be written to memory that nobody else refers to: there is room for
 * them, and not much more. */
static bool nesl_fits(const nesl_buffer *buffer, size_t bytes) {
  const bool wastes = buffer->size >= 1 << 16 && buffer->size / 4 > bytes;
  return buffer->holders == 1 && bytes <= buffer->size && !wastes;
}

/* The same where the original ends here: then it can be the copy. */
static nesl_buffer *nesl_copy_last(nesl_call *call, nesl_buffer *from, int64_t count, size_t size,
    int32_t row) {
  if (nesl_fits(from, nesl_bytes(count, size))) {
    from->filled = NESL_FULL;
    return from;
  }
  nesl_buffer *buffer = nesl_copy(call, from, count, size, row);
  nesl_drop(from);
  return buffer;
}

/* Whether nobody else needs a buffer that ends here or not. */
static bool nesl_alone(const nesl_buffer *buffer, bool ends) {
  return ends && buffer->holders == 1;
}

/* Behind which element of a buffer others may be put. */
static int64_t nesl_behind(const nesl_buffer *buffer, size_t size, bool ends) {
  return nesl_alone(buffer, ends) || buffer->filled == NESL_FULL ? 0 : (int64_t)((buffer->filled + size - 1) / size);
}

/* How many elements were put into a buffer. */
static int64_t nesl_there(const nesl_buffer *buffer, size_t size) {
  return (int64_t)((buffer->filled == NESL_FULL ? buffer->size : buffer->filled) / size);
}

/* Whether `more` elements have room from `begin` on. */
static bool nesl_holds(const nesl_buffer *buffer, size_t size, bool ends, int64_t begin,
    int64_t more) {
  if (nesl_alone(buffer, ends)) return true;
  return buffer->filled != NESL_FULL && nesl_bytes(begin + more, size) <= buffer->size;
}

/* Room for `count` elements, the first `used` of which are those of another; and to grow again.  The
 * same memory, if it has room, and nobody needs what is there from `begin` on. */
static nesl_buffer *nesl_grow(nesl_call *call, nesl_buffer *from, int64_t used, int64_t begin,
    int64_t count, size_t size, int32_t row) {
  const size_t room = nesl_bytes(count, size);
  if (from->filled <= nesl_bytes(begin, size) && room <= from->size) {
    from->filled = room;
    return nesl_keep(from);
  }
  nesl_buffer *buffer = nesl_make(call, used > 0 ? 2 * count : count, size, row);
  const size_t bytes = nesl_bytes(used, size);
  nesl_gpu *gpu = call->gpu;
  nesl_move<<<nesl_blocks(bytes), 256, 0, gpu->stream>>>(gpu->words, buffer->b, from->b, bytes);
  nesl_check(cudaGetLastError());
  buffer->filled = room;
  return buffer;
}

/* The same where the original ends here. */
static nesl_buffer *nesl_grow_last(nesl_call *call, nesl_buffer *from, int64_t used, int64_t begin,
    int64_t count, size_t size, int32_t row) {
  if (nesl_fits(from, nesl_bytes(count, size))) {
    from->filled = nesl_bytes(count, size);
    return from;
  }
  nesl_buffer *buffer = nesl_grow(call, from, used, begin, count, size, row);
  nesl_drop(from);
  return buffer;
}

/* Memory as `nesl_make` gives it, or that of `over` if that ends here and is read from its start
 * on. */
static nesl_buffer *nesl_make_over(nesl_call *call, int64_t count, size_t size, nesl_buffer *over,
    int64_t start, int32_t row) {
  if (start != 0 || !nesl_fits(over, nesl_bytes(count, size))) {
    return nesl_make(call, count, size, row);
  }
  over->filled = NESL_FULL;
  return nesl_keep(over);
}

/* ---- launches --------------------------------------------------------------------------- */

/* How a launch is cut. */
struct nesl_grid {
  int64_t tiles;
  int threads; /* of a block */
  int words;   /* of scratch for each tile */
};

/* Tiles of `grain` indices; of `grain` indices and elements. */
static int64_t nesl_even(int64_t extent, int64_t grain) {
  return extent <= 0 ? 0 : (extent - 1) / grain + 1;
}
static int64_t nesl_cells(int64_t extent, int64_t length, int64_t grain) {
  return extent <= 0 ? 0 : nesl_even(extent * (nesl_max(length, 0) + 1), grain);
}
static int64_t nesl_balanced(int64_t extent, int64_t elements, int64_t grain) {
  return extent <= 0 ? 0 : nesl_even(extent + elements, grain);
}

/* A scalar that a launch sets. */
static nesl_word *nesl_cell(nesl_call *call) {
  return &call->gpu->cells[call->gpu->cell++ % NESL_CELLS];
}

/* Gives threads the stack that recursion wants. */
static void nesl_deepen(nesl_call *call) {
  if (!call->gpu->deep) nesl_check(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10));
  call->gpu->deep = true;
}

template <class T> struct nesl_same {
  using type = T;
};

/* Launches a kernel.  If it can fail, `again` is the form of it that tells about the first check
 * that fails. */
template <class... P, class... A>
static void nesl_launch(nesl_call *call, void (*kernel)(nesl_run, P...),
    typename nesl_same<void (*)(nesl_run, P...)>::type again, nesl_grid cut, A... args) {
  nesl_gpu *gpu = call->gpu;
  const size_t words = nesl_bytes(cut.tiles, cut.words * sizeof(nesl_word));
  const nesl_run run = nesl_hand(gpu, cut.tiles, words);
  const unsigned blocks = (unsigned)nesl_max(1, nesl_min(cut.tiles, INT32_MAX));
  kernel<<<blocks, cut.threads, 0, gpu->stream>>>(run, (P)args...);
  nesl_check(cudaGetLastError());
  if (!again) return;
  const auto repeat = [=](const nesl_run &other) {
    again<<<blocks, cut.threads, 0, gpu->stream>>>(other, (P)args...);
    nesl_check(cudaGetLastError());
  };
  call->pending.push_back({run.number, words, cut.tiles, repeat});
}

/* ---- what the host reads ---------------------------------------------------------------- */

/* Copies bytes to the host. */
static void nesl_fetch(nesl_call *call, void *to, const void *from, size_t bytes) {
  cudaStream_t stream = call->gpu->stream;
  if (bytes == 0) return;
  nesl_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
  nesl_check(cudaStreamSynchronize(stream));
}

/* The elements of a buffer, for code of the host. */
template <class T> struct nesl_reader {
  nesl_call *call;
  const nesl_buffer *buffer;
  T operator[](int64_t index) const {
    T value;
    nesl_settle(call);
    nesl_fetch(call, &value, (const T *)buffer->p + index, sizeof value);
    return value;
  }
  operator const T *() const {
    nesl_settle(call);
    call->copies.emplace_back(buffer->size + 1);
    nesl_fetch(call, call->copies.back().data(), buffer->p, buffer->size);
    return (const T *)call->copies.back().data();
  }
};
template <class T> static nesl_reader<T> nesl_read(nesl_call *call, const nesl_buffer *buffer) {
  return {call, buffer};
}

/* Ends the call with the program's own message. */
static void nesl_raise(nesl_call *call, int32_t row, const nesl_buffer *chars, int64_t start,
    int64_t length) {
  char text[sizeof nesl_said];
  length = nesl_min(length, sizeof text);
  nesl_wait(call);
  nesl_fetch(call, text, chars->b + start, length);
  const int code = nesl_sites[row].code;
  nesl_begin_message(row, nesl_words[code]);
  nesl_say("%.*s", (int)length, text);
  nesl_leave(code);
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
static void nesl_check_length(const char *name, int64_t length) {
  if (length < 0 || length > NESL_LONGEST) nesl_refuse(name, "a length of ", length);
}

/* Refuses offsets that are not there, do not begin with 0 or fall; gives the last. */
static int64_t nesl_check_offsets(const char *name, const int64_t *offsets, int64_t length) {
  if (!offsets) nesl_refuse(name, "null as offsets of so many sequences: ", length);
  if (offsets[0] != 0) nesl_refuse(name, "offsets begin with ", offsets[0]);
  for (int64_t i = 0; i < length; i++) {
    if (offsets[i + 1] < offsets[i]) nesl_refuse(name, "offsets fall after number ", i);
  }
  if (offsets[length] > NESL_LONGEST) nesl_refuse(name, "offsets end with ", offsets[length]);
  return offsets[length];
}

/* Elements of a result: where stretches of them start, and how long they are. */
struct nesl_stretches {
  int64_t count;
  const int64_t *starts, *lengths;
  int64_t total;
};

/* Memory of the host for a result. */
static nesl_result *nesl_room(nesl_call *call, int64_t count, size_t size) {
  const size_t bytes = nesl_bytes(count, size);
  nesl_result *result = new nesl_result;
  result->p = bytes > PTRDIFF_MAX - 128 ? nullptr : nesl_allocate(64, bytes / 64 * 64 + 64);
  result->released = false;
  call->results.push_back(result);
  if (!result->p) nesl_leave(nesl_describe(-1, NESL_CODE_MEMORY, (int64_t)bytes, 1));
  return result;
}

/* The elements of stretches, one after the other. */
static nesl_result *nesl_gather(nesl_call *call, nesl_buffer *from, nesl_stretches lanes,
    size_t size) {
  nesl_result *result = nesl_room(call, lanes.total, size);
  if (lanes.count == 1) {
    nesl_fetch(call, result->p, from->b + lanes.starts[0] * size, lanes.total * size);
    return result;
  }
  int64_t end = 0;
  for (int64_t i = 0; i < lanes.count; i++) {
    end = nesl_max(end, lanes.lengths[i] > 0 ? lanes.starts[i] + lanes.lengths[i] : 0);
  }
  std::vector<uint8_t> all(end * size + 1);
  nesl_fetch(call, all.data(), from->p, end * size);
  uint8_t *to = result->b;
  for (int64_t i = 0; i < lanes.count; i++) {
    const size_t bytes = nesl_bytes(lanes.lengths[i], size);
    if (bytes) memcpy(to, all.data() + lanes.starts[i] * size, bytes);
    to += bytes;
  }
  return result;
}

/* The offsets of segments of these lengths. */
static nesl_result *nesl_offsets(nesl_call *call, const int64_t *lengths, int64_t count) {
  nesl_result *offsets = nesl_room(call, count + 1, sizeof(int64_t));
  offsets->i[0] = 0;
  for (int64_t i = 0; i < count; i++) {
    if (lengths[i] > NESL_LONGEST - offsets->i[i]) {
      nesl_leave(nesl_describe(-1, NESL_CODE_MEMORY, PTRDIFF_MAX, 1));
    }
    offsets->i[i + 1] = offsets->i[i] + lengths[i];
  }
  return offsets;
}

/* Refuses null for elements that there are. */
static void nesl_check_there(const char *name, const void *elements, int64_t count) {
  if (!elements && count > 0) nesl_refuse(name, "null, and so many elements: ", count);
}

/* Hands memory over to the caller. */
static void *nesl_release(nesl_result *result) {
  result->released = true;
  return result->p;
}
