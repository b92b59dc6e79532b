// A user's own kernels for the rows jit and jit-cached: knows nothing of Tare but its public headers.
#include <tare/jit_row.hpp>

int main(int argc, char** argv) {
  using tare::DeviceSpan;
  const auto blend = [](auto x, auto y, auto z, auto out, auto scale, auto n) {
    const auto i = tare::grid_index();
    tare::if_(i < n, [&] { out[i] = x[i] * scale + y[i] * 0.5 + z[i]; });
  };
  const auto twice = [](auto x, auto n) {
    const auto i = tare::grid_index();
    tare::if_(i < n, [&] { x[i] += x[i]; });
  };
  return tare::run_jit_rows(
      argc, argv,
      {tare::jit_row<DeviceSpan<const float>, DeviceSpan<const short>, DeviceSpan<const unsigned char>,
                     DeviceSpan<double>, float, long>("blend", blend),
       tare::jit_row<DeviceSpan<float>, int>("twice", twice),
       tare::jit_row<DeviceSpan<double>, int>("twice", twice)});
}
