// C's layout rules, and conversions that are exact or refused.
#include "compare/case/layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "compare/case/complaint.hpp"
#include "compare/case/float16.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

std::size_t round_up(std::size_t offset, std::size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Lanes of one kind without padding can be filled and compared as what they are.
bool is_uniform(const std::vector<Field>& fields, std::size_t size) {
  const ElementType& first = fields.front().element;
  std::size_t used = 0;
  for (const Field& field : fields) {
    if (field.element.kind == Kind::aggregate || field.element.kind != first.kind ||
        lane_size(field.element) != lane_size(first)) {
      return false;
    }
    used += field.element.size * field.count;
  }
  return used == size;
}

void collect_bytes(const Field& field, std::vector<ElementType::Bytes>& into) {
  for (std::size_t i = 0; i < field.count; ++i) {
    const std::size_t begin = field.offset + i * field.element.size;
    if (field.element.kind == Kind::aggregate) {
      for (const ElementType::Bytes& inner : field.element.fields) {
        into.push_back({begin + inner.begin, begin + inner.end});
      }
    } else {
      into.push_back({begin, begin + field.element.size});
    }
  }
}

void put_integer(std::byte* at, std::size_t size, std::uint64_t low, bool negative) {
  const std::uint64_t words[2] = {low, negative ? ~std::uint64_t{0} : 0};
  std::memcpy(at, words, size);
}

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void put_integer_lane(std::byte* at, const ElementType& element, std::int64_t value) {
  const std::size_t size = lane_size(element);
  if (element.kind == Kind::signed_integer) {
    const std::int64_t limit = size >= 8 ? INT64_MAX : (std::int64_t{1} << (8 * size - 1)) - 1;
    if (value > limit || value < -limit - 1) {
      throw Complaint(std::to_string(value) + " does not fit in `" + element.name + "`");
    }
  } else {
    const std::int64_t limit = size >= 8 ? INT64_MAX : (std::int64_t{1} << (8 * size)) - 1;
    if (value > limit || value < 0) {
      throw Complaint(std::to_string(value) + " does not fit in `" + element.name + "`");
    }
  }
  put_integer(at, size, static_cast<std::uint64_t>(value), value < 0);
}

void put_floating_lane(std::byte* at, const ElementType& element, double value, bool must_be_exact) {
  double stored = value;
  if (element.kind == Kind::half) {
    const std::uint16_t bits = half_from_double(value);
    stored = static_cast<double>(half_to_float(bits));
    std::memcpy(at, &bits, sizeof bits);
  } else if (element.kind == Kind::bfloat16) {
    const std::uint16_t bits = bfloat16_from_double(value);
    stored = static_cast<double>(bfloat16_to_float(bits));
    std::memcpy(at, &bits, sizeof bits);
  } else if (lane_size(element) == 4) {
    // A finite value beyond the type's range becomes infinity here, which is refused below.
    const float narrow = static_cast<float>(value);
    stored = static_cast<double>(narrow);
    std::memcpy(at, &narrow, sizeof narrow);
  } else {
    std::memcpy(at, &value, sizeof value);
  }
  if (std::isfinite(value) && !std::isfinite(stored)) {
    throw Complaint(number_text(value) + " does not fit in `" + element.name + "`");
  }
  if (must_be_exact && stored != value) {
    throw Complaint("the whole number " + number_text(value) + " is not exact in `" + element.name +
                    "`; write it with a decimal point to have it rounded");
  }
}

void put_bits(std::byte* at, const ElementType& element, const std::string& text) {
  const std::size_t size = lane_size(element);
  std::size_t begin = text.starts_with("0x") || text.starts_with("0X") ? 2 : 0;
  if (begin == 0 || begin == text.size() ||
      text.find_first_not_of("0123456789abcdefABCDEF", begin) != std::string::npos) {
    throw Complaint("bits `" + text + "`: expected hexadecimal digits after 0x");
  }
  while (begin + 1 < text.size() && text[begin] == '0') ++begin;
  if (text.size() - begin > 2 * size) {
    throw Complaint("bits `" + text + "` do not fit in the " + std::to_string(size) + " bytes of `" +
                    element.name + "`");
  }
  std::memset(at, 0, size);
  for (std::size_t digit = 0; digit < text.size() - begin; ++digit) {
    const char c = text[text.size() - 1 - digit];
    const int value = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    at[digit / 2] |= static_cast<std::byte>(value << (digit % 2 == 0 ? 0 : 4));
  }
  if (element.kind == Kind::boolean && at[0] != std::byte{0} && at[0] != std::byte{1}) {
    throw Complaint("bits `" + text + "`: a bool is 0x0 or 0x1");
  }
}

void put_bool(std::byte* at, const Literal& literal, const ValueOf& value_of) {
  std::int64_t value = literal.boolean ? 1 : 0;
  if (literal.kind == Literal::Kind::real) throw Complaint("a bool is true, false, 0 or 1");
  if (literal.kind == Literal::Kind::integer) value = literal.integer;
  if (literal.kind == Literal::Kind::expression) value = evaluate(literal.text, value_of);
  if (value != 0 && value != 1) throw Complaint("a bool is true, false, 0 or 1");
  *at = static_cast<std::byte>(value);
}

void put_lane(std::byte* at, const ElementType& element, const Literal& literal, const ValueOf& value_of) {
  if (literal.kind == Literal::Kind::list) throw Complaint("a list inside a list");
  if (literal.kind == Literal::Kind::bits) return put_bits(at, element, literal.text);
  if (element.kind == Kind::boolean) return put_bool(at, literal, value_of);
  if (literal.kind == Literal::Kind::real) {
    if (is_floating(element)) return put_floating_lane(at, element, literal.real, false);
    // Both bounds are exact as doubles; the integer ranges below 64 bits are checked after.
    if (literal.real != std::trunc(literal.real) || !(std::fabs(literal.real) < 0x1p63)) {
      throw Complaint(number_text(literal.real) + " is not a whole number that fits in `" + element.name +
                      "`");
    }
    return put_integer_lane(at, element, static_cast<std::int64_t>(literal.real));
  }
  if (literal.kind == Literal::Kind::boolean && is_floating(element)) {
    throw Complaint("`" + element.name + "` takes a number, not true or false");
  }
  std::int64_t value = literal.boolean ? 1 : 0;
  if (literal.kind == Literal::Kind::integer) value = literal.integer;
  if (literal.kind == Literal::Kind::expression) value = evaluate(literal.text, value_of);
  if (!is_floating(element)) return put_integer_lane(at, element, value);
  const double real = static_cast<double>(value);
  // 2^63 as a double would not come back; every other int64 that changed compares unequal.
  if (real >= 0x1p63 || static_cast<std::int64_t>(real) != value) {
    throw Complaint("the whole number " + std::to_string(value) + " is not exact in `" + element.name + "`");
  }
  put_floating_lane(at, element, real, true);
}

void encode_fields(const std::vector<Field>& fields, std::byte* base, const std::string& file,
                   const ValueOf& value_of);

void encode_field(const Field& field, std::byte* at, const std::string& file, const ValueOf& value_of) {
  if (!field.fields.empty()) {
    for (std::size_t i = 0; i < field.count; ++i) {
      encode_fields(field.fields, at + i * field.element.size, file, value_of);
    }
    return;
  }
  if (!field.value) return;
  located(file, field.value->line, [&] {
    const Literal& value = *field.value;
    if (field.count == 1) {
      const std::vector<std::byte> bytes = encode(value, field.element, value_of);
      std::memcpy(at, bytes.data(), bytes.size());
      return;
    }
    if (value.kind == Literal::Kind::list && value.list.size() != field.count) {
      throw Complaint("field `" + field.name + "` has " + std::to_string(field.count) +
                      " elements, the list " + std::to_string(value.list.size()));
    }
    for (std::size_t i = 0; i < field.count; ++i) {
      const Literal& each = value.kind == Literal::Kind::list ? value.list[i] : value;
      const std::vector<std::byte> bytes = encode(each, field.element, value_of);
      std::memcpy(at + i * field.element.size, bytes.data(), bytes.size());
    }
  });
}

void encode_fields(const std::vector<Field>& fields, std::byte* base, const std::string& file,
                   const ValueOf& value_of) {
  for (const Field& field : fields) encode_field(field, base + field.offset, file, value_of);
}

}  // namespace

ElementType lay_out(std::vector<Field>& fields, std::size_t alignment, const std::string& name) {
  ElementType whole{name, 0, std::max<std::size_t>(alignment, 1), Kind::aggregate, 1, {}};
  std::size_t end = 0;
  for (Field& field : fields) {
    const std::size_t own = std::max(field.alignment, field.element.alignment);
    field.offset = round_up(end, own);
    end = field.offset + field.element.size * field.count;
    whole.alignment = std::max(whole.alignment, own);
    collect_bytes(field, whole.fields);
  }
  whole.size = round_up(end, whole.alignment);
  if (is_uniform(fields, whole.size)) {
    whole.kind = fields.front().element.kind;
    whole.lanes = whole.size / lane_size(fields.front().element);
    whole.fields.clear();
  }
  return whole;
}

std::vector<std::byte> encode(const Literal& literal, const ElementType& element, const ValueOf& value_of) {
  if (literal.kind == Literal::Kind::list && literal.list.size() != element.lanes) {
    throw Complaint("`" + element.name + "` has " + std::to_string(element.lanes) + " lanes, the list " +
                    std::to_string(literal.list.size()));
  }
  std::vector<std::byte> bytes(element.size);
  const std::size_t lane = lane_size(element);
  for (std::size_t i = 0; i < element.lanes; ++i) {
    const Literal& each = literal.kind == Literal::Kind::list ? literal.list[i] : literal;
    put_lane(bytes.data() + i * lane, element, each, value_of);
  }
  return bytes;
}

std::vector<std::byte> encode_struct(const std::vector<Field>& fields, const ElementType& element,
                                     const std::string& file, const ValueOf& value_of) {
  std::vector<std::byte> bytes(element.size);
  encode_fields(fields, bytes.data(), file, value_of);
  return bytes;
}

}  // namespace tare::compare
