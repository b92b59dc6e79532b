// Batcher's odd-even merge sort of key and payload pairs in one block's shared memory; the network has
// comparators for a part of the threads only in most of its steps.
extern "C" __global__ void odd_even_merge_sort(const long long* keys_in, const unsigned char* payload_in,
                                               long long* keys_out, unsigned char* payload_out, unsigned n) {
  extern __shared__ long long keys[];
  unsigned char* payload = (unsigned char*)(keys + n);
  const unsigned thread = threadIdx.x, base = blockIdx.x * n;
  for (unsigned i = thread; i < n; i += blockDim.x) {
    keys[i] = keys_in[base + i];
    payload[i] = payload_in[base + i];
  }
  __syncthreads();
  for (unsigned size = 1; size < n; size *= 2) {
    for (unsigned step = size; step > 0; step /= 2) {
      // Comparators (at, at + step) within one merge of 2 * size.
      for (unsigned at = thread; at + step < n; at += blockDim.x) {
        const unsigned first = step % size;
        if (at < first || ((at - first) / step) % 2 != 0) continue;
        if (at / (2 * size) != (at + step) / (2 * size)) continue;
        if (keys[at] > keys[at + step]) {
          const long long key = keys[at];
          keys[at] = keys[at + step];
          keys[at + step] = key;
          const unsigned char byte = payload[at];
          payload[at] = payload[at + step];
          payload[at + step] = byte;
        }
      }
      __syncthreads();
    }
  }
  for (unsigned i = thread; i < n; i += blockDim.x) {
    keys_out[base + i] = keys[i];
    payload_out[base + i] = payload[i];
  }
}
