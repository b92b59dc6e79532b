// Deferred: nothing happens until the first call, and the next process takes the result from disk. The
// counterpart of CuPy's RawKernel.
#include <cstdio>
#include <span>
#include <vector>

#include <tare/tare.hpp>

static const char* const kSource = R"(
extern "C" __global__ void vectorAdd(const float* a, const float* b, float* out, size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
)";

int main() {
  try {
    const tare::PrimaryContext context;
    const auto scope = context.enter();
    const tare::Stream stream(context);
    const tare::RawKernel add(context, kSource, "vectorAdd");

    const std::size_t n = 1'000'000;
    std::vector<float> a(n), b(n), out(n);
    for (std::size_t i = 0; i < n; ++i) {
      a[i] = 0.5f * static_cast<float>(i);
      b[i] = 1.0f / static_cast<float>(i + 1);
    }
    const tare::Buffer da(context, n * sizeof(float)), db(context, n * sizeof(float)),
        dout(context, n * sizeof(float));
    da.copy_from(std::as_bytes(std::span(a)));
    db.copy_from(std::as_bytes(std::span(b)));

    const unsigned threads = 256, blocks = static_cast<unsigned>((n + threads - 1) / threads);
    add(stream, {.grid = {blocks}, .block = {threads}}, da.pointer(), db.pointer(), dout.pointer(), n);
    stream.synchronize();

    dout.copy_to(std::as_writable_bytes(std::span(out)));
    for (std::size_t i = 0; i < n; ++i)
      if (out[i] != a[i] + b[i]) {
        std::printf("element %zu is %g, not %g\n", i, out[i], a[i] + b[i]);
        return 1;
      }
    std::printf("%zu sums, all right; compiled by %s\n", n, add.report().details.compiler.c_str());
    return 0;
  } catch (const tare::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    return 1;
  }
}
