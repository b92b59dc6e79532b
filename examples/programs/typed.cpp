// Typed: the kernel is C++, and is compiled at the first call for the types that it is called with. The
// counterpart of Numba's @cuda.jit.
#include <cstdio>
#include <span>
#include <vector>

#include <tare/tare.hpp>

int main() {
  try {
    const tare::PrimaryContext context;
    const auto scope = context.enter();
    const tare::Stream stream(context);
    const auto add = tare::jit([](auto x, auto y, auto sum) {
      const auto i = tare::grid_index();
      tare::if_(i < sum.size(), [&] { sum[i] = x[i] + y[i]; });
    });

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
    add({blocks, threads, stream}, tare::device_span<const float>(da), tare::device_span<const float>(db),
        tare::device_span<float>(dout));
    stream.synchronize();

    dout.copy_to(std::as_writable_bytes(std::span(out)));
    for (std::size_t i = 0; i < n; ++i)
      if (out[i] != a[i] + b[i]) {
        std::printf("element %zu is %g, not %g\n", i, out[i], a[i] + b[i]);
        return 1;
      }
    std::printf("%zu sums, all right; compiled by %s\n", n,
                add.specializations()[0]->compiled.compiler.c_str());
    return 0;
  } catch (const tare::Error& error) {
    std::fprintf(stderr, "%s\n%s\n", error.what(), error.hint().c_str());
    return 1;
  }
}
