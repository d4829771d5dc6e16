/* Kernels of the device itself: what the host does to memory.  Like all kernels they do nothing once
 * a launch has failed, so that its inputs can be looked at.  Header-free. */

typedef unsigned long long nesl_word;

/* As many 16-byte pieces as can be moved whole, if all addresses are multiples of 16. */
static nesl_word nesl_pieces(nesl_word addresses, nesl_word bytes) {
  return addresses % 16 == 0 ? bytes / 16 : 0;
}

/* Sets bytes to 0. */
extern "C" __global__ void nesl_zero(const unsigned *failed, unsigned char *to, nesl_word bytes) {
  if (*failed) return;
  nesl_word start = blockIdx.x * (nesl_word)blockDim.x + threadIdx.x;
  nesl_word step = gridDim.x * (nesl_word)blockDim.x;
  nesl_word pieces = nesl_pieces((nesl_word)to, bytes);
  for (nesl_word i = start; i < pieces; i += step) ((uint4 *)to)[i] = make_uint4(0, 0, 0, 0);
  for (nesl_word i = 16 * pieces + start; i < bytes; i += step) to[i] = 0;
}

/* Copies bytes between memories that do not overlap. */
extern "C" __global__ void nesl_copy(const unsigned *failed, const unsigned char *from,
                                     unsigned char *to, nesl_word bytes) {
  if (*failed) return;
  nesl_word start = blockIdx.x * (nesl_word)blockDim.x + threadIdx.x;
  nesl_word step = gridDim.x * (nesl_word)blockDim.x;
  nesl_word pieces = nesl_pieces((nesl_word)from | (nesl_word)to, bytes);
  for (nesl_word i = start; i < pieces; i += step) ((uint4 *)to)[i] = ((const uint4 *)from)[i];
  for (nesl_word i = 16 * pieces + start; i < bytes; i += step) to[i] = from[i];
}

/* Words that travel with the launch.  Rust lays out the same struct. */
struct nesl_parcel {
  const unsigned *failed;
  nesl_word *to;
  nesl_word count;
  nesl_word words[480];
};

/* Puts the words where they belong. */
extern "C" __global__ void nesl_put(const __grid_constant__ nesl_parcel parcel) {
  if (*parcel.failed) return;
  for (nesl_word i = threadIdx.x; i < parcel.count; i += blockDim.x) parcel.to[i] = parcel.words[i];
}
