// The header is a Python dictionary literal of three known keys; only as much of it is understood.
#include "compare/case/npy.hpp"

#include <charconv>
#include <cstring>
#include <optional>

#include "compare/case/complaint.hpp"
#include "compare/case/plain_file.hpp"
#include "compare/case/types.hpp"

namespace tare::compare {
namespace {

struct Header {
  std::string descr;  // "<f4"; "[...]" for a structured dtype
  bool fortran_order = false;
  std::uint64_t elements = 1;
  std::size_t dimensions = 0;
};

[[noreturn]] void bad(const std::filesystem::path& file, const std::string& why) {
  throw CaseError(file.string() + ": " + why);
}

/// What stands behind 'KEY': in the header, up to the end of the header.
std::optional<std::string_view> behind(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = quote + std::string(key) + quote;
    std::size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    at = header.find(':', at + quoted.size());
    if (at == std::string_view::npos) return std::nullopt;
    at = header.find_first_not_of(" ", at + 1);
    if (at == std::string_view::npos) return std::nullopt;
    return header.substr(at);
  }
  return std::nullopt;
}

Header parse_header(const std::filesystem::path& file, std::string_view text) {
  const auto descr = behind(text, "descr"), order = behind(text, "fortran_order"),
             shape = behind(text, "shape");
  if (!descr || !order || !shape || !shape->starts_with("("))
    bad(file, "not a NumPy header: " + std::string(text));
  Header header;
  if (descr->starts_with("'") || descr->starts_with("\"")) {
    header.descr = descr->substr(1, descr->find((*descr)[0], 1) - 1);
  } else {
    header.descr = "[...]";
  }
  header.fortran_order = order->starts_with("True");
  const std::string_view inside = shape->substr(1, shape->find(')') - 1);
  for (std::size_t at = 0; at < inside.size();) {
    const std::size_t digits = inside.find_first_of("0123456789", at);
    if (digits == std::string_view::npos) break;
    std::uint64_t extent = 0;
    const auto [end, error] = std::from_chars(inside.data() + digits, inside.data() + inside.size(), extent);
    if (error != std::errc() || __builtin_mul_overflow(header.elements, extent, &header.elements)) {
      bad(file, "the shape does not fit in 64 bits");
    }
    ++header.dimensions;
    at = static_cast<std::size_t>(end - inside.data());
  }
  return header;
}

std::string expected_dtype(const ElementType& element) {
  using Kind = ElementType::Kind;
  const std::string size = std::to_string(lane_size(element));
  const char* order = lane_size(element) == 1 ? "|" : "<";
  switch (element.kind) {
    case Kind::floating:
    case Kind::half:
      return order + ("f" + size);
    case Kind::bfloat16:
      return "<u2";
    case Kind::boolean:
      return "|b1";
    case Kind::signed_integer:
      return order + ("i" + size);
    case Kind::unsigned_integer:
      return order + ("u" + size);
    case Kind::aggregate:
      return "|V" + size;
  }
  return {};
}

HostBuffer read_open_npy(PlainFile&& in, const std::filesystem::path& file, const ElementType& element,
                         std::uint64_t count, const std::string& argument) {
  unsigned char start[12] = {};
  if (in.read(start, 10) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3) {
    bad(file, "not a NumPy file of format version 1 to 3");
  }
  std::size_t length = start[8] | static_cast<std::size_t>(start[9]) << 8;
  if (start[6] > 1) {
    in.read(start + 10, 2);
    length |= static_cast<std::size_t>(start[10]) << 16 | static_cast<std::size_t>(start[11]) << 24;
  }
  if (length > (1u << 20)) bad(file, "the header is longer than 1 MiB");
  std::string text(length, '\0');
  if (in.read(text.data(), length) != length) bad(file, "ends inside its header");

  const Header header = parse_header(file, text);
  const std::string dtype = expected_dtype(element);
  // A structured dtype is told by its size alone, below.
  const bool same =
      header.descr == dtype || (element.kind == ElementType::Kind::aggregate && header.descr == "[...]");
  if (!same) {
    bad(file, "dtype `" + header.descr + "`, but `" + argument + "` of element type `" + element.name +
                  "` needs `" + dtype + "`");
  }
  if (header.fortran_order && header.dimensions > 1) bad(file, "Fortran order; save it in C order");
  const std::uint64_t lanes = count * element.lanes;
  if (header.elements != lanes) {
    bad(file,
        std::to_string(header.elements) + " elements, but `" + argument + "` needs " + std::to_string(lanes));
  }
  HostBuffer buffer(count * element.size);
  if (in.read(buffer.data(), buffer.size()) != buffer.size()) bad(file, "ends before its last element");
  if (char more = 0; in.read(&more, 1) != 0) bad(file, "has more bytes than `" + argument + "` needs");
  return buffer;
}

}  // namespace

HostBuffer read_npy(const std::filesystem::path& file, const ElementType& element, std::uint64_t count,
                    const std::string& argument) {
  try {
    return read_open_npy(PlainFile(file), file, element, count, argument);
  } catch (const Complaint& complaint) {
    throw CaseError("cannot read " + file.string() + " for `" + argument + "`: " + complaint.what());
  }
}

}  // namespace tare::compare
