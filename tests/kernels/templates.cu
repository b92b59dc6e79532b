// C++17 on the device: functors and lambdas, variadic templates and folds, if constexpr, specialisations, and
// a sort that unrolls by instantiating itself.
namespace maths {

template <class T>
struct Square {
  __device__ T operator()(T x) const { return x * x; }
};
template <class T, int kBy>
struct Shift {
  __device__ T operator()(T x) const {
    if constexpr (sizeof(T) == 1)
      return T(x ^ kBy);
    else
      return x + T(kBy);
  }
};
template <class First, class... Rest>
struct Chain {
  template <class T>
  __device__ T operator()(T x) const {
    if constexpr (sizeof...(Rest) == 0)
      return First()(x);
    else
      return Chain<Rest...>()(First()(x));
  }
};

}  // namespace maths

template <class T, class F>
__global__ void transform(const T* in, T* out, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) out[at] = F()(in[at]);
}

template <unsigned... kPrimes>
__global__ void count_divisors(const unsigned* in, unsigned char* out, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) out[at] = (unsigned char)((in[at] % kPrimes == 0 ? 1 : 0) + ... + 0);
}

template <int kFirst, int kCount>
struct Sorter {
  template <class T, class Less>
  __device__ static void sort(T (&values)[kFirst + kCount], Less less) {
    if constexpr (kCount > 1) {
      for (int i = 0; i + 1 < kCount; ++i)
        if (less(values[i + 1], values[i])) {
          const T other = values[i];
          values[i] = values[i + 1];
          values[i + 1] = other;
        }
      Sorter<kFirst + 1, kCount - 1>::sort(values, less);
    }
  }
};

template <class T, int kEach>
__global__ void sort_each(const T* in, T* out, unsigned n, T modulus) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  T own[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) own[i] = in[at * kEach + i];
  // By remainder, then by value: an order that no two different values share.
  Sorter<0, kEach>::sort(
      own, [modulus](T a, T b) { return a % modulus != b % modulus ? a % modulus < b % modulus : a < b; });
#pragma unroll
  for (int i = 0; i < kEach; ++i) out[at * kEach + i] = own[i];
}
