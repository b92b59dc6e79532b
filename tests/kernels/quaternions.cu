// Structures by value: as a kernel's parameter (of 200 bytes, with members of every size), as arguments and
// results of functions that stay functions, and as elements of arrays.
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

__device__ __noinline__ Quaternion product(Quaternion a, Quaternion b) {
  return Quaternion{
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

__device__ __noinline__ Vector rotated(const Quaternion& q, Vector v) {
  const Quaternion turned =
      product(product(q, Quaternion{0.0f, v.x, v.y, v.z}), Quaternion{q.w, -q.x, -q.y, -q.z});
  return Vector{turned.x, turned.y, turned.z};
}

extern "C" __global__ void chain(Joints joints, const Vector* in, Vector* out, unsigned long long* marks,
                                 unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  Vector v = in[at];
  unsigned long long mark = 0;
  for (int i = 0; i < joints.count; ++i) {
    const Pose& pose = joints.pose[i];  // an index known at run time only
    v = rotated(pose.turn, v);
    v = Vector{(float)(v.x * pose.scale) + pose.shift.x, (float)(v.y * pose.scale) + pose.shift.y,
               (float)(v.z * pose.scale) + pose.shift.z};
    mark = mark * 31 + (unsigned long long)(pose.id + pose.kind + pose.flags[(at + i) % 5]);
  }
  out[at] = v;
  marks[at] = mark;
}
