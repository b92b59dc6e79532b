// Work over a long range, on all processors where it is worth a thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

namespace tare::compare {

/// Calls work(begin, end) for consecutive ranges that make up [0, count), at most one per processor and each
/// at least `grain` long if there is more than one; blocks until all are done. `work` must not throw.
template <class Work>
void parallel_ranges(std::size_t count, std::size_t grain, const Work& work) {
  const std::size_t processors = std::max<std::size_t>(1, std::thread::hardware_concurrency());
  const std::size_t parts = std::clamp<std::size_t>(count / std::max<std::size_t>(grain, 1), 1, processors);
  const auto edge = [&](std::size_t part) { return count / parts * part + std::min(part, count % parts); };
  std::vector<std::jthread> threads;
  for (std::size_t part = 1; part < parts; ++part) {
    threads.emplace_back([&work, begin = edge(part), end = edge(part + 1)] { work(begin, end); });
  }
  work(0, edge(1));
}

}  // namespace tare::compare
