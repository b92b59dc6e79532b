// Where a pattern stands in a text: a rolling hash over a stretch of the text for each thread, letters
// compared where the hash agrees; and the letters of the text counted by class.
extern "C" __global__ void find_pattern(const unsigned char* text, unsigned length,
                                        const unsigned char* pattern, unsigned size, unsigned stretch,
                                        unsigned* found, unsigned* first, unsigned long long* matches) {
  const unsigned begin = (blockIdx.x * blockDim.x + threadIdx.x) * stretch;
  const unsigned end = min(begin + stretch, length - size + 1);
  if (begin >= end) return;
  const unsigned base = 257;
  unsigned wanted = 0, hash = 0, highest = 1;
  for (unsigned i = 0; i < size; ++i) {
    wanted = wanted * base + pattern[i];
    hash = hash * base + text[begin + i];
    if (i > 0) highest *= base;
  }
  for (unsigned at = begin; at < end; ++at) {
    if (hash == wanted) {
      unsigned same = 0;
      while (same < size && text[at + same] == pattern[same]) ++same;
      if (same == size) {
        atomicOr(&found[at / 32], 1u << at % 32);
        atomicMin(first, at);
        atomicAdd(matches, 1ull);
      }
    }
    if (at + size < length) hash = (hash - text[at] * highest) * base + text[at + size];
  }
}

extern "C" __global__ void classify(const char* text, unsigned length, unsigned* counts) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= length) return;
  switch (text[at]) {
    case 'a':
      atomicAdd(&counts[0], 1u);
      break;
    case 'b':
      atomicAdd(&counts[1], 1u);
      break;
    case 'c':
      atomicAdd(&counts[2], 1u);
      break;
    case 'd':
      atomicAdd(&counts[3], 1u);
      break;
    case '\n':
      atomicAdd(&counts[4], 1u);
      break;
    default:
      atomicAdd(&counts[5], (unsigned)(text[at] < 0));
  }
}
