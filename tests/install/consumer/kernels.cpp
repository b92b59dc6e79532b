// Kernels of a user's own for the rows jit and jit-cached.
#include <tare/jit_row.hpp>

int main(int argc, char** argv) {
  return tare::run_jit_rows(
      argc, argv,
      {tare::jit_row<tare::DeviceSpan<float>, float, int>("scale", [](auto x, auto factor, auto n) {
        const auto i = tare::grid_index();
        tare::if_(i < n, [&] { x[i] *= factor; });
      })});
}
