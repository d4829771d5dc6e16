// Sparse matrix in CSR form times vector; the lengths of rows follow a power law.
#include "segments.cuh"
#include <cusparse.h>
using namespace B;

#define SPARSE(call)                                                                      \
  do {                                                                                    \
    cusparseStatus_t status = (call);                                                     \
    if (status != CUSPARSE_STATUS_SUCCESS) {                                              \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cusparseGetErrorString(status)); \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

template <class T, class I>
void products(cusparseHandle_t handle, const char* name, const std::vector<int64_t>& offsets) {
  const char* size = "10M/1.6M";
  if (!wanted(name, size)) return;
  const cudaDataType floats = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
  const cusparseIndexType_t ints = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
  int64_t rows = (int64_t)offsets.size() - 1, entries = offsets.back();
  Vector<T> values(entries), x(rows), y(rows);
  Vector<I> columns(entries), bounds(offsets.size());
  upload(offsets, bounds);
  fill(values, [] __device__(size_t i) { return unit(i); });
  fill(x, [] __device__(size_t i) { return unit(i + (1ull << 40)); });
  fill(columns, [rows] __device__(size_t i) { return random(i) % rows; });
  cusparseSpMatDescr_t a;
  cusparseDnVecDescr_t from, to;
  SPARSE(cusparseCreateCsr(&a, rows, rows, entries, bounds.p, columns.p, values.p, ints, ints,
                           CUSPARSE_INDEX_BASE_ZERO, floats));
  SPARSE(cusparseCreateDnVec(&from, rows, x.p, floats));
  SPARSE(cusparseCreateDnVec(&to, rows, y.p, floats));
  const T one = 1, zero = 0;
  auto way = CUSPARSE_OPERATION_NON_TRANSPOSE;
  for (int n = 1; n <= 2; n++) {
    auto algorithm = n == 1 ? CUSPARSE_SPMV_CSR_ALG1 : CUSPARSE_SPMV_CSR_ALG2;
    size_t bytes = 0;
    SPARSE(cusparseSpMV_bufferSize(handle, way, &one, a, from, &zero, to, floats, algorithm,
                                   &bytes));
    Vector<char> room(bytes);
    char full[64];
    snprintf(full, sizeof full, "%s-%d", name, n);
    bench(full, size, [&] {
      SPARSE(cusparseSpMV(handle, way, &one, a, from, &zero, to, floats, algorithm, room.p));
    });
  }
  SPARSE(cusparseDestroyDnVec(from));
  SPARSE(cusparseDestroyDnVec(to));
  SPARSE(cusparseDestroySpMat(a));
}

int main() {
  std::vector<int64_t> offsets = power_law(10000000);
  cusparseHandle_t handle;
  SPARSE(cusparseCreate(&handle));
  products<float, int32_t>(handle, "spmv.f32.cusparse-csr", offsets);
  products<double, int32_t>(handle, "spmv.f64.cusparse-csr-i32", offsets);
  products<double, int64_t>(handle, "spmv.f64.cusparse-csr-i64", offsets);
  SPARSE(cusparseDestroy(handle));
}
