// The live objects of one kind by handle, so that a stale or foreign handle is found out instead of
// being followed. A handle is the object's address.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace tare::cpu {

template <typename T>
class HandleTable {
 public:
  void add(std::shared_ptr<T> object) {
    const std::unique_lock lock(mutex_);
    const void* key = object.get();
    live_.emplace(key, std::move(object));
  }
  /// Null for what is not a live handle.
  std::shared_ptr<T> find(const void* handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = live_.find(handle);
    return found == live_.end() ? nullptr : found->second;
  }
  std::shared_ptr<T> remove(const void* handle) {
    const std::unique_lock lock(mutex_);
    const auto found = live_.find(handle);
    if (found == live_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    live_.erase(found);
    return object;
  }
  /// Takes out every object for which `chosen` holds.
  template <typename Predicate>
  std::vector<std::shared_ptr<T>> remove_if(Predicate chosen) {
    std::vector<std::shared_ptr<T>> taken;
    const std::unique_lock lock(mutex_);
    for (auto it = live_.begin(); it != live_.end();) {
      if (chosen(*it->second)) {
        taken.push_back(std::move(it->second));
        it = live_.erase(it);
      } else {
        ++it;
      }
    }
    return taken;
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::vector<std::shared_ptr<T>> objects;
    const std::shared_lock lock(mutex_);
    objects.reserve(live_.size());
    for (const auto& entry : live_) objects.push_back(entry.second);
    return objects;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<const void*, std::shared_ptr<T>> live_;
};

}  // namespace tare::cpu
