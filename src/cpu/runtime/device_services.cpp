// The format is taken apart as the CUDA programming guide has it (printf, format specifiers); each
// specification is then the host's own to print.
#include "cpu/runtime/device_services.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace tare::cpu {
namespace {

constexpr std::int32_t kMostArguments = 32;

/// Values one after the other, each at a multiple of its size.
class ArgumentReader {
 public:
  explicit ArgumentReader(const std::byte* arguments) : arguments_(arguments) {}

  template <typename Value>
  Value next() {
    offset_ = (offset_ + sizeof(Value) - 1) / sizeof(Value) * sizeof(Value);
    Value value{};
    if (arguments_ != nullptr) std::memcpy(&value, arguments_ + offset_, sizeof value);
    offset_ += sizeof value;
    return value;
  }

 private:
  const std::byte* arguments_;
  std::size_t offset_ = 0;
};

/// One `%...`: flags, width and precision as written, and what follows them.
struct Specification {
  std::string flags;  // "%-8.3"
  bool is_long = false;
  char type = '\0';
  std::size_t length = 0;  // of the whole in the format
};

Specification parse(const char* at) {
  Specification found;
  const char* const start = at;
  ++at;
  while (*at != '\0' && std::strchr("-+ #0123456789.", *at) != nullptr) ++at;
  found.flags.assign(start, at);
  while (*at == 'l' || *at == 'h' || *at == 'j' || *at == 'z' || *at == 't') {
    if (*at != 'h') found.is_long = true;
    ++at;
  }
  found.type = *at;
  if (*at != '\0') ++at;
  found.length = static_cast<std::size_t>(at - start);
  return found;
}

template <typename Value>
void append(std::string& text, const std::string& specification, Value value) {
  const int length = std::snprintf(nullptr, 0, specification.c_str(), value);
  if (length <= 0) return;
  const std::size_t before = text.size();
  text.resize(before + static_cast<std::size_t>(length) + 1);
  std::snprintf(text.data() + before, static_cast<std::size_t>(length) + 1, specification.c_str(), value);
  text.resize(before + static_cast<std::size_t>(length));
}

/// False where the type is none that printf knows.
bool append_argument(std::string& text, const Specification& specification, ArgumentReader& arguments) {
  const std::string flags = specification.flags;
  const char type = specification.type;
  if (type == 's') {
    const char* const value = arguments.next<const char*>();
    append(text, flags + "s", value == nullptr ? "(null)" : value);
  } else if (type == 'p') {
    append(text, flags + "p", arguments.next<void*>());
  } else if (type == 'c') {
    append(text, flags + "c", arguments.next<int>());
  } else if (std::strchr("eEfFgGaA", type) != nullptr) {
    append(text, flags + type, arguments.next<double>());
  } else if (std::strchr("diouxX", type) != nullptr) {
    if (specification.is_long) {
      append(text, flags + "ll" + type, arguments.next<long long>());
    } else {
      append(text, flags + type, arguments.next<int>());
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string format_device_text(const char* format, const std::byte* arguments, std::int32_t& count) {
  std::string text;
  ArgumentReader reader(arguments);
  count = 0;
  for (const char* at = format; *at != '\0';) {
    if (*at != '%') {
      text += *at++;
      continue;
    }
    const Specification specification = parse(at);
    if (specification.type == '%') {
      text += '%';
    } else if (specification.type != '\0' && count < kMostArguments &&
               append_argument(text, specification, reader)) {
      ++count;
    } else {
      text.append(at, specification.length);
    }
    at += specification.length;
  }
  return text;
}

std::int32_t ContextServices::print(const char* format, const std::byte* arguments) {
  if (format == nullptr) return -1;
  std::int32_t count = 0;
  std::string text = format_device_text(format, arguments, count);
  const std::scoped_lock lock(print_mutex_);
  const std::size_t limit = print_limit_.load(std::memory_order_relaxed);
  printed_bytes_ += text.size();
  printed_.push_back(std::move(text));
  while (printed_bytes_ > limit && !printed_.empty()) {
    printed_bytes_ -= printed_.front().size();
    printed_.pop_front();
  }
  has_text_.store(true, std::memory_order_release);
  return count;
}

void ContextServices::flush() {
  if (!has_text_.load(std::memory_order_acquire)) return;
  std::deque<std::string> texts;
  {
    const std::scoped_lock lock(print_mutex_);
    texts.swap(printed_);
    printed_bytes_ = 0;
    has_text_.store(false, std::memory_order_release);
  }
  for (const std::string& text : texts) std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void ContextServices::assertion_failed(const char* text) {
  std::fputs(text, stderr);
}

}  // namespace tare::cpu
