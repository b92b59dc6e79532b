// A small machine whose instructions are looked up in a table of functions: calls through pointers, different
// ones in neighbouring lanes, and virtual functions.
typedef int (*Operation)(int, int);

__device__ __noinline__ int plus(int a, int b) {
  return (int)((unsigned)a + (unsigned)b);
}
__device__ __noinline__ int minus(int a, int b) {
  return (int)((unsigned)a - (unsigned)b);
}
__device__ __noinline__ int times(int a, int b) {
  return (int)((unsigned)a * (unsigned)b);
}
__device__ __noinline__ int exclusive(int a, int b) {
  return a ^ b;
}
__device__ __noinline__ int greater(int a, int b) {
  return a > b ? a : b;
}

__device__ Operation operations[] = {plus, minus, times, exclusive, greater};

// A program is a word of decimal digits, its last one first.
extern "C" __global__ void interpret(const unsigned* programs, const int* arguments, int* results,
                                     unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  int value = arguments[at];
  for (unsigned program = programs[at]; program != 0; program /= 10)
    value = operations[program % 10 % 5](value, arguments[(at + program) % n]);
  results[at] = value;
}

struct Shape {
  __device__ virtual int area() const = 0;
  int side;
};
struct Square : Shape {
  __device__ int area() const override { return side * side; }
};
struct Strip : Shape {
  __device__ int area() const override { return side * 3 + 1; }
};

extern "C" __global__ void areas(const int* sides, int* results, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  Square square;
  Strip strip;
  square.side = strip.side = sides[at] % 1000;
  const Shape* shapes[2] = {&square, &strip};
  results[at] = shapes[(sides[at] >> 3) & 1]->area();
}
