// Point by point; outside of the box is 0.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr int kX = 21, kY = 18, kZ = 9;
constexpr float kCentre = 0.4f, kSide = 0.1f;
constexpr std::size_t kCount = kX * kY * kZ;

Outputs run(const Stage& stage) {
  const auto in = stage.upload(Numbers(22).f32s(kCount)), out = stage.filled<float>(kCount);
  stage.launch("stencil_3d", {.grid = {blocks_for(kX, 8), blocks_for(kY, 8)}, .block = {8, 8}}, in, out, kX,
               kY, kZ, kCentre, kSide);
  return Outputs().add("box", stage.download(out));
}

Outputs expected() {
  const std::vector<float> in = Numbers(22).f32s(kCount);
  const auto at = [&](int x, int y, int z) {
    const bool outside = x < 0 || y < 0 || z < 0 || x >= kX || y >= kY || z >= kZ;
    return outside ? 0.0f : in[static_cast<std::size_t>((z * kY + y) * kX + x)];
  };
  std::vector<float> out;
  for (int z = 0; z < kZ; ++z)
    for (int y = 0; y < kY; ++y)
      for (int x = 0; x < kX; ++x) {
        float sum = at(x, y, z - 1) + at(x, y, z + 1);
        sum += at(x, y - 1, z);
        sum += at(x, y + 1, z);
        sum += at(x - 1, y, z);
        sum += at(x + 1, y, z);
        out.push_back(kCentre * at(x, y, z) + kSide * sum);
      }
  return Outputs().add("box", out);
}

}  // namespace

Complete stencil_3d() {
  return {"stencil_3d", run, expected, {}};
}

}  // namespace tare::kernels
