// What generated code calls: the roundings and formats that the processor lacks, the approximate
// functions, and clocks. All of it is free of global state and leaves the floating-point modes alone.
#include "cpu/codegen/runtime.hpp"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cpu/codegen/barrier.hpp"
#include "cpu/codegen/kernel.hpp"
#include "cpu/codegen/narrow.hpp"
#include "cpu/codegen/soft_float.hpp"
#include "cpu/codegen/video.hpp"

namespace tare::cpu::codegen {
namespace {

using soft::Direction;
using soft::Format;
using soft::Number;

Format format_of(std::uint32_t code) {
  switch (code) {
    case format_code::f16:
      return soft::kF16;
    case format_code::bf16:
      return soft::kBf16;
    case format_code::f32:
      return soft::kF32;
    default:
      return soft::kF64;
  }
}

Number number(float value) {
  return soft::unpack(std::bit_cast<std::uint32_t>(value), soft::kF32);
}
Number number(double value) {
  return soft::unpack(std::bit_cast<std::uint64_t>(value), soft::kF64);
}

Direction direction_in(std::uint32_t code) {
  return Direction{code & ~soft::kFlush};
}

template <typename Float>
Float pack(Number value, std::uint32_t code) {
  const Direction direction = direction_in(code);
  constexpr Format kFormat = sizeof(Float) == 4 ? soft::kF32 : soft::kF64;
  if ((code & soft::kFlush) != 0 && soft::is_tiny(value, kFormat, direction)) value.kind = Number::Kind::zero;
  const std::uint64_t bits = soft::pack(value, kFormat, direction);
  if constexpr (sizeof(Float) == 4) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  } else {
    return std::bit_cast<double>(bits);
  }
}

template <typename Float>
Float add(Float a, Float b, std::uint32_t direction) {
  return pack<Float>(soft::add(number(a), number(b), direction_in(direction)), direction);
}
template <typename Float>
Float multiply(Float a, Float b, std::uint32_t direction) {
  return pack<Float>(soft::multiply(number(a), number(b)), direction);
}
template <typename Float>
Float fused(Float a, Float b, Float c, std::uint32_t direction) {
  return pack<Float>(soft::add(soft::multiply(number(a), number(b)), number(c), direction_in(direction)),
                     direction);
}
template <typename Float>
Float divide(Float a, Float b, std::uint32_t direction) {
  return pack<Float>(soft::divide(number(a), number(b)), direction);
}
template <typename Float>
Float root(Float a, std::uint32_t direction) {
  return pack<Float>(soft::square_root(number(a)), direction);
}

std::uint64_t convert(std::uint64_t bits, std::uint32_t from, std::uint32_t to, std::uint32_t direction) {
  return soft::pack(soft::unpack(bits, format_of(from)), format_of(to), Direction{direction});
}

std::uint64_t from_integer(std::uint64_t magnitude, std::uint32_t negative, std::uint32_t to,
                           std::uint32_t direction) {
  return soft::pack(soft::from_integer(magnitude, negative != 0), format_of(to), Direction{direction});
}

constexpr std::uint32_t kHalfNan = 0x7fff;
constexpr std::uint32_t kHalfSign = 0x8000;

bool half_is_nan(std::uint32_t bits, Format format) {
  return soft::unpack(bits, format).kind == Number::Kind::nan;
}

std::uint32_t half_flush(std::uint32_t bits, Format format) {
  const std::uint32_t exponent = ((1u << format.exponent_bits) - 1) << format.fraction_bits;
  return (bits & exponent) == 0 ? bits & kHalfSign : bits;
}

/// Orders the bits of two numbers as their values, -0 before +0.
std::int32_t half_key(std::uint32_t bits) {
  const auto magnitude = static_cast<std::int32_t>(bits & ~kHalfSign);
  return (bits & kHalfSign) != 0 ? -magnitude - 1 : magnitude;
}

std::uint32_t half_extreme(std::uint32_t a, std::uint32_t b, Format format, std::uint32_t control) {
  const std::uint32_t sign = (a ^ b) & kHalfSign;
  const bool by_magnitude = (control & half::xorsign_abs) != 0;
  if (by_magnitude) {
    a &= ~kHalfSign;
    b &= ~kHalfSign;
  }
  const bool a_nan = half_is_nan(a, format);
  const bool b_nan = half_is_nan(b, format);
  std::uint32_t result =
      (half_key(a) < half_key(b)) == ((control & half::operation_mask) == half::min) ? a : b;
  if (a_nan || b_nan) {
    if ((control & half::propagate_nan) != 0 || (a_nan && b_nan)) return kHalfNan;
    result = a_nan ? b : a;
  }
  return by_magnitude ? result | sign : result;
}

std::uint32_t half_operation(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control) {
  const bool is_bfloat = (control & half::is_bfloat) != 0;
  const Format format = is_bfloat ? soft::kBf16 : soft::kF16;
  if ((control & half::flush) != 0) {
    a = half_flush(a, format);
    b = half_flush(b, format);
    c = half_flush(c, format);
  }
  const Number x = soft::unpack(a, format);
  const Number y = soft::unpack(b, format);
  bool tiny = false;
  const auto round = [&](const Number& value) {
    tiny = soft::is_tiny(value, format, Direction::nearest);
    return static_cast<std::uint32_t>(soft::pack(value, format, Direction::nearest));
  };
  std::uint32_t result = 0;
  switch (control & half::operation_mask) {
    case half::add:
      result = round(soft::add(x, y, Direction::nearest));
      break;
    case half::sub:
      result = round(soft::add(x, soft::negate(y), Direction::nearest));
      break;
    case half::mul:
      result = round(soft::multiply(x, y));
      break;
    case half::fma:
      result = round(soft::add(soft::multiply(x, y), soft::unpack(c, format), Direction::nearest));
      break;
    case half::min:
    case half::max:
      result = half_extreme(a, b, format, control);
      break;
    case half::neg:
      result = a ^ kHalfSign;
      break;
    default:
      result = a & ~kHalfSign;
      break;
  }
  if ((control & half::flush) != 0) result = tiny ? result & kHalfSign : half_flush(result, format);
  const bool is_nan = half_is_nan(result, format);
  const std::uint32_t one = is_bfloat ? 0x3f80 : 0x3c00;
  if ((control & half::saturate) != 0) {
    if (is_nan || (result & kHalfSign) != 0) return 0;
    return result > one ? one : result;
  }
  if (is_nan) return kHalfNan;
  if ((control & half::relu) != 0 && (result & kHalfSign) != 0) return 0;
  return result;
}

/// cp.async: `read` bytes of `bytes`, the rest zero.
void copy(std::byte* to, const std::byte* from, std::uint32_t bytes, std::uint32_t read) {
  const std::uint32_t count = read < bytes ? read : bytes;
  memcpy(to, from, count);
  memset(to + count, 0, bytes - count);
}

std::uint64_t global_timer() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

/// x / (2 pi) in turns, as a GPU's range reduction has it: an f32 product rounded toward zero, subnormals
/// flushed, then cut to 25 bits after the point. Of the roundings tried this is the one whose results stay
/// within 2^-21 of an H200's, large arguments included.
double turns(float x) {
  constexpr float kTurnsPerRadian = 0.15915494f;
  constexpr double kSteps = 0x1p25;
  const double exact = static_cast<double>(x) * static_cast<double>(kTurnsPerRadian);
  auto product = static_cast<float>(exact);
  if (std::fabs(static_cast<double>(product)) > std::fabs(exact)) product = std::nextafter(product, 0.0f);
  return std::trunc(static_cast<double>(product) * kSteps) / kSteps;
}

constexpr double kTurn = 6.283185307179586476925;

float exp2_f32(float x) {
  return static_cast<float>(std::exp2(static_cast<double>(x)));
}
float log2_f32(float x) {
  return static_cast<float>(std::log2(static_cast<double>(x)));
}
float sin_f32(float x) {
  const double whole = turns(x);
  return static_cast<float>(std::sin(kTurn * std::remainder(whole, 1.0)));
}
float cos_f32(float x) {
  return static_cast<float>(std::cos(kTurn * std::remainder(turns(x), 1.0)));
}
float tanh_f32(float x) {
  return static_cast<float>(std::tanh(static_cast<double>(x)));
}

std::int32_t print(const LaunchContext* context, const char* format, const std::byte* arguments) {
  return context->services == nullptr ? -1 : context->services->print(format, arguments);
}
void* allocate(const LaunchContext* context, std::uint64_t bytes) {
  return context->services == nullptr ? nullptr : context->services->allocate(bytes);
}
void release(const LaunchContext* context, void* memory) {
  if (context->services != nullptr) context->services->release(memory);
}

/// Numbers are the block's and the thread's indices.
void assertion(const LaunchContext* context, const char* message, const char* file, std::uint32_t line,
               const char* function, const std::uint32_t* numbers) {
  if (context->services == nullptr) return;
  char where[160];
  snprintf(where, sizeof where, ": block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `", numbers[0], numbers[1],
           numbers[2], numbers[3], numbers[4], numbers[5]);
  // As printf shows it; here a null string would end the process.
  const auto shown = [](const char* text) { return std::string(text == nullptr ? "(null)" : text); };
  const std::string text = shown(file) + ":" + std::to_string(line) + ": " + shown(function) + where +
                           shown(message) + "` failed.\n";
  context->services->assertion_failed(text.c_str());
}

struct Entry {
  std::string_view name;
  void* address;
};

template <typename Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void* find_runtime_function(std::string_view name) {
  static const Entry kTable[] = {
      {"tare_add_f32", address(&add<float>)},
      {"tare_add_f64", address(&add<double>)},
      {"tare_mul_f32", address(&multiply<float>)},
      {"tare_mul_f64", address(&multiply<double>)},
      {"tare_fma_f32", address(&fused<float>)},
      {"tare_fma_f64", address(&fused<double>)},
      {"tare_div_f32", address(&divide<float>)},
      {"tare_div_f64", address(&divide<double>)},
      {"tare_sqrt_f32", address(&root<float>)},
      {"tare_sqrt_f64", address(&root<double>)},
      {"tare_convert", address(&convert)},
      {"tare_from_integer", address(&from_integer)},
      {"tare_half", address(&half_operation)},
      {"tare_global_timer", address(&global_timer)},
      {"tare_exp2_f32", address(&exp2_f32)},
      {"tare_log2_f32", address(&log2_f32)},
      {"tare_sin_f32", address(&sin_f32)},
      {"tare_cos_f32", address(&cos_f32)},
      {"tare_tanh_f32", address(&tanh_f32)},
      {"tare_release_waiting", address(&release_waiting)},
      {"tare_arrive", address(&arrive)},
      {"tare_video", address(&video_operation)},
      {"tare_find_nth", address(&find_nth_bit)},
      {"tare_narrow", address(&narrow_from_f32)},
      {"tare_f16_from_narrow", address(&f16_from_narrow)},
      {"tare_copy", address(&copy)},
      {"tare_print", address(&print)},
      {"tare_allocate", address(&allocate)},
      {"tare_release", address(&release)},
      {"tare_assertion", address(&assertion)},
      // What LLVM itself may call.
      {"memset", address(&memset)},
      {"memcpy", address(static_cast<void* (*)(void*, const void*, size_t)>(&memcpy))},
      {"memmove", address(static_cast<void* (*)(void*, const void*, size_t)>(&memmove))},
      {"fma", address(static_cast<double (*)(double, double, double)>(&::fma))},
      {"fmaf", address(&::fmaf)},
      {"trunc", address(static_cast<double (*)(double)>(&::trunc))},
      {"truncf", address(&::truncf)},
      {"floor", address(static_cast<double (*)(double)>(&::floor))},
      {"floorf", address(&::floorf)},
      {"ceil", address(static_cast<double (*)(double)>(&::ceil))},
      {"ceilf", address(&::ceilf)},
      {"roundeven", address(static_cast<double (*)(double)>(&::roundeven))},
      {"roundevenf", address(&::roundevenf)},
  };
  for (const Entry& entry : kTable) {
    if (entry.name == name) return entry.address;
  }
  return nullptr;
}

}  // namespace tare::cpu::codegen
