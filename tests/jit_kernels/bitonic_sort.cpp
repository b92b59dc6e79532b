// tests/kernels/bitonic_sort.cu: Batcher's bitonic sorting network over a power of two of keys: short
// distances in shared memory, longer ones in a launch of their own.
#include "../kernels/harness/numbers.hpp"
#include "harness/pair.hpp"

namespace tare::pairs {
namespace {

// Orders two elements of an array, a kernel's argument or a shared one.
template <class Keys>
void order(const Keys& keys, const Value<unsigned>& low, const Value<unsigned>& high,
           const Value<bool>& ascending) {
  if_((keys[low] > keys[high]) == ascending, [&] {
    const auto other = keys[low];
    keys[low] = keys[high];
    keys[high] = other;
  });
}

// The steps of a merge of `size` from the distance `step` down, all within the block whose keys begin at
// `base`.
template <class Keys, class Size>
void merge(const Keys& block, const Value<unsigned>& thread, const Value<unsigned>& base, const Size& size,
           Variable<unsigned>& step) {
  while_([&] { return step > 0u; },
         [&] {
           sync_threads();
           const auto at = 2u * thread - (thread & (step - 1u));
           order(block, at, at + step, ((base + at) & size) == 0u);
           step /= 2u;
         });
}

// Every block sorts 512 keys, alternately up and down.
const auto kSortBlocks = [](auto keys) {
  auto block = shared_array<unsigned, 512>();
  const auto thread = thread_index().x, base = block_index().x * 512u;
  block[thread] = keys[base + thread];
  block[thread + 256u] = keys[base + thread + 256u];
  auto size = var(2u), step = var(1u);
  while_([&] { return size <= 512u; },
         [&] {
           step = size / 2u;
           merge(block, thread, base, size, step);
           size *= 2u;
         });
  sync_threads();
  keys[base + thread] = block[thread];
  keys[base + thread + 256u] = block[thread + 256u];
};

// One step of a merge of `size`, at a distance of 512 or more.
const auto kMergeFar = [](auto keys, auto size, auto step) {
  const auto thread = cast<unsigned>(grid_index());
  const auto at = 2u * thread - (thread & (step - 1u));
  order(keys, at, at + step, (at & size) == 0u);
};

// The rest of that merge, all within blocks.
const auto kMergeNear = [](auto keys, auto size) {
  auto block = shared_array<unsigned, 512>();
  const auto thread = thread_index().x, base = block_index().x * 512u;
  block[thread] = keys[base + thread];
  block[thread + 256u] = keys[base + thread + 256u];
  auto step = var(256u);
  merge(block, thread, base, size, step);
  sync_threads();
  keys[base + thread] = block[thread];
  keys[base + thread + 256u] = block[thread + 256u];
};

const Registered kPair{{.name = "bitonic_sort", .run = [](Run& run) {
                          const auto keys = run.out("keys", kernels::Numbers(181).u32s(1024));
                          run.launch("sort_blocks", kSortBlocks, 2, 256, keys);
                          run.launch("merge_far", kMergeFar, 2, 256, keys, 1024u, 512u);
                          run.launch("merge_near", kMergeNear, 2, 256, keys, 1024u);
                        }}};

}  // namespace
}  // namespace tare::pairs
