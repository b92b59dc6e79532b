// Structs by value with padding, over-alignment, a nested struct and an array, handed to a template instance.

// snippet: kernel
struct Mixed {
  char tag;
  double weight;
  short count;
};
struct __align__(16) Aligned {
  float x, y, z;
};
struct Outer {
  short ids[3];
  Mixed inner;
};

template <class T, int kScale>
__global__ void spread(T* out, Mixed p, Aligned q, float3 t, int last, Outer o, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T values[8] = {T(p.tag), T(p.weight), T(p.count), T(q.z), T(t.z), T(last), T(o.ids[2]), T(o.inner.weight)};
  out[i] = values[i % 8] * kScale;
}
// end snippet

// snippet: reference
void reference(double* out, Mixed p, Aligned q, float3 t, int last, Outer o, unsigned n) {
  const double values[8] = {double(p.tag), p.weight,     double(p.count),  q.z,
                            t.z,           double(last), double(o.ids[2]), o.inner.weight};
  for (unsigned i = 0; i < n; ++i) out[i] = values[i % 8] * 3;
}
// end snippet
