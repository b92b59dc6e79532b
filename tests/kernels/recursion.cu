// Functions that call themselves: Ackermann's, a quicksort that recurses, the same sort with a stack of its
// own in local memory, and two functions that call one another.
__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int partition(int* values, int low, int high) {
  const int pivot = values[high];
  int place = low;
  for (int i = low; i < high; ++i)
    if (values[i] < pivot) {
      const int other = values[i];
      values[i] = values[place];
      values[place++] = other;
    }
  values[high] = values[place];
  values[place] = pivot;
  return place;
}

__device__ __noinline__ void sort(int* values, int low, int high) {
  if (low >= high) return;
  const int middle = partition(values, low, high);
  sort(values, low, middle - 1);
  sort(values, middle + 1, high);
}

__device__ void sort_by_stack(int* values, int count) {
  int stack[64], top = 0;
  stack[top++] = 0;
  stack[top++] = count - 1;
  while (top > 0) {
    const int high = stack[--top], low = stack[--top];
    if (low >= high) continue;
    const int middle = partition(values, low, high);
    stack[top++] = low;
    stack[top++] = middle - 1;
    stack[top++] = middle + 1;
    stack[top++] = high;
  }
}

__device__ __noinline__ unsigned female(unsigned n);
__device__ __noinline__ unsigned male(unsigned n) {
  return n == 0 ? 0 : n - female(male(n - 1));
}
__device__ __noinline__ unsigned female(unsigned n) {
  return n == 0 ? 1 : n - male(female(n - 1));
}

// Neighbouring threads have different depths.
extern "C" __global__ void numbers(unsigned* ackermanns, unsigned* sequences) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  ackermanns[at] = ackermann(at % 3, at / 3 % 7);
  sequences[at] = male(at % 14) * 100 + female(at % 11);
}

extern "C" __global__ void sorts(const int* in, int* recursive, int* iterative) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  int own[20];
  for (int i = 0; i < 20; ++i) own[i] = in[at * 20 + i];
  sort(own, 0, 19);
  for (int i = 0; i < 20; ++i) recursive[at * 20 + i] = own[i];
  for (int i = 0; i < 20; ++i) own[i] = in[at * 20 + i];
  sort_by_stack(own, 20);
  for (int i = 0; i < 20; ++i) iterative[at * 20 + i] = own[i];
}
