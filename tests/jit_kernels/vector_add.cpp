// The first kernel of every tutorial, for types alone and mixed: what C++ says of `a[i] + b[i]` holds in
// both.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

constexpr const char* kCuda = R"cuda(
template <class A, class B, class Out>
__global__ void vector_add(const A* a, const B* b, Out* out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)cuda";

const auto kJit = [](auto a, auto b, auto out, auto n) {
  const auto i = grid_index();
  if_(i < n, [&] { out[i] = a[i] + b[i]; });
};

constexpr unsigned kCount = 1000, kRoom = 1024;

template <class T>
std::vector<T> numbers(std::uint64_t seed) {
  kernels::Numbers from(seed);
  return kernels::Numbers::many<T>(kRoom, [&] {
    if constexpr (std::is_same_v<T, float>)
      return from.f32();
    else if constexpr (std::is_same_v<T, double>)
      return from.f64() * 1e6;
    else
      return static_cast<T>(from.u64());
  });
}

template <class A, class B, class Out>
void add(Run& run, const std::string& types) {
  // What lies beyond the count stays as it is in both.
  run.launch("vector_add<" + types + ">", kJit, 4, 256, run.in(numbers<A>(1)), run.in(numbers<B>(2)),
             run.out<Out>(types, kRoom), kCount);
}

const Registered kPair{
    {.name = "vector_add",
     .cuda = kCuda,
     .names = {"vector_add<float, float, float>", "vector_add<double, double, double>",
               "vector_add<int, int, int>", "vector_add<unsigned, unsigned, unsigned>",
               "vector_add<float, double, float>", "vector_add<float, double, double>",
               "vector_add<int, float, double>", "vector_add<long long, float, float>",
               "vector_add<short, unsigned char, long long>"},
     .run = [](Run& run) {
       add<float, float, float>(run, "float, float, float");
       add<double, double, double>(run, "double, double, double");
       // Sums of ints that do not overflow: what does is undefined in both.
       run.launch("vector_add<int, int, int>", kJit, 4, 256, run.in(std::vector<int>(kRoom, 2000000000)),
                  run.in(std::vector<int>(kRoom, -2100000000)), run.out<int>("int, int, int", kRoom), kCount);
       add<unsigned, unsigned, unsigned>(run, "unsigned, unsigned, unsigned");
       add<float, double, float>(run, "float, double, float");
       add<float, double, double>(run, "float, double, double");
       add<int, float, double>(run, "int, float, double");
       add<long long, float, float>(run, "long long, float, float");
       add<short, unsigned char, long long>(run, "short, unsigned char, long long");
     }}};

}  // namespace
}  // namespace tare::pairs
