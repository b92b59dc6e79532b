// An open-addressing table: a key takes the first free slot by compare-and-swap, its value is the largest of
// those inserted (by a 64-bit compare-and-swap loop), and lookups probe until they meet a free slot.
#define FREE 0xffffffffu

__device__ unsigned mix(unsigned key) {
  key ^= key >> 16;
  key *= 0x7feb352du;
  key ^= key >> 15;
  key *= 0x846ca68bu;
  return key ^ key >> 16;
}

extern "C" __global__ void insert(const unsigned* keys, const double* values, unsigned n,
                                  unsigned* table_keys, unsigned long long* table_values, unsigned mask,
                                  unsigned* distinct) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  const unsigned key = keys[at];
  unsigned slot = mix(key) & mask;
  for (;;) {
    const unsigned before = atomicCAS(&table_keys[slot], FREE, key);
    if (before == FREE) atomicAdd(distinct, 1u);
    if (before == FREE || before == key) break;
    slot = (slot + 1) & mask;
  }
  unsigned long long current = table_values[slot];
  while (__longlong_as_double((long long)current) < values[at]) {
    const unsigned long long seen =
        atomicCAS(&table_values[slot], current, (unsigned long long)__double_as_longlong(values[at]));
    if (seen == current) break;
    current = seen;
  }
}

extern "C" __global__ void lookup(const unsigned* keys, double* values, unsigned n,
                                  const unsigned* table_keys, const unsigned long long* table_values,
                                  unsigned mask) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  double found = -1.0;
  for (unsigned slot = mix(keys[at]) & mask; table_keys[slot] != FREE; slot = (slot + 1) & mask)
    if (table_keys[slot] == keys[at]) {
      found = __longlong_as_double((long long)table_values[slot]);
      break;
    }
  values[at] = found;
}
