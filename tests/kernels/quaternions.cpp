// The same structures, laid out by the same rules.
#include "harness/complete.hpp"
#include "harness/numbers.hpp"

namespace tare::kernels {
namespace {

constexpr unsigned kCount = 500;

struct Quaternion {
  float w, x, y, z;
};
struct Vector {
  float x, y, z;
};
struct Pose {
  char kind;
  Quaternion turn;
  Vector shift;
  double scale;
  short flags[5];
  long long id;
};
struct Joints {
  Pose pose[3];
  unsigned char count;
};
static_assert(sizeof(Pose) == 64 && sizeof(Joints) == 200);

Joints joints() {
  Joints made{};
  made.count = 3;
  Numbers numbers(48);
  for (Pose& pose : made.pose) {
    pose.kind = static_cast<char>(numbers.below(256) - 128);
    pose.turn = {numbers.f32(), numbers.f32(), numbers.f32(), numbers.f32()};
    pose.shift = {numbers.f32(), numbers.f32(), numbers.f32()};
    pose.scale = numbers.f64();
    for (short& flag : pose.flags) flag = static_cast<short>(static_cast<int>(numbers.below(65536)) - 32768);
    pose.id = static_cast<long long>(numbers.u64() >> 8);
  }
  return made;
}

std::vector<Vector> input() {
  Numbers numbers(49);
  return Numbers::many<Vector>(kCount, [&] { return Vector{numbers.f32(), numbers.f32(), numbers.f32()}; });
}

Outputs run(const Stage& stage) {
  const auto in = stage.upload(input()), out = stage.filled<Vector>(kCount);
  const auto marks = stage.filled<std::uint64_t>(kCount);
  stage.launch("chain", {.grid = {blocks_for(kCount, 128)}, .block = {128}}, joints(), in, out, marks,
               kCount);
  return Outputs().add("vectors", stage.download(out)).add("marks", stage.download(marks));
}

Quaternion product(Quaternion a, Quaternion b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Outputs expected() {
  const Joints made = joints();
  std::vector<Vector> out = input();
  std::vector<std::uint64_t> marks(kCount);
  for (std::size_t at = 0; at < kCount; ++at)
    for (std::size_t i = 0; i < made.count; ++i) {
      const Pose& pose = made.pose[i];
      const Quaternion& q = pose.turn;
      const Quaternion turned =
          product(product(q, {0.0f, out[at].x, out[at].y, out[at].z}), {q.w, -q.x, -q.y, -q.z});
      const auto scaled = [&](float axis) {
        return static_cast<float>(static_cast<double>(axis) * pose.scale);
      };
      out[at] = {scaled(turned.x) + pose.shift.x, scaled(turned.y) + pose.shift.y,
                 scaled(turned.z) + pose.shift.z};
      marks[at] = marks[at] * 31 + static_cast<std::uint64_t>(pose.id + pose.kind + pose.flags[(at + i) % 5]);
    }
  return Outputs().add("vectors", out).add("marks", marks);
}

}  // namespace

Complete quaternions() {
  return {"quaternions", run, expected, {}};
}

}  // namespace tare::kernels
