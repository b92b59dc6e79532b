// Writing an entry, and reading one with distrust: the trailer is checked before anything else is used.
#include "cache/entry.hpp"

#include <cstring>
#include <nlohmann/json.hpp>

#include "compile/source_text.hpp"
#include "store/file.hpp"

namespace tare::detail {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic("TARE\r\n\x1a\x01", 8);
constexpr std::size_t kHeader = kEntryHeaderBytes, kTrailer = store::kChecksumBytes;

void put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint64_t get(std::string_view bytes, std::size_t at, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

Json metadata(const Entry& entry) {
  const Compiled& c = entry.compiled;
  Json inputs = Json::array(), opened = Json::array();
  for (const CacheInput& input : entry.inputs) inputs.push_back({input.name, input.value});
  for (const OpenedFile& file : entry.opened)
    opened.push_back({file.path, file.size, file.mtime_ns, file.content});
  return {{"code", c.code == Code::cubin ? "cubin" : "ptx"},
          {"compiler", c.compiler},
          {"compiler_path", c.compiler_path},
          {"options", c.options},
          {"log", c.log},
          {"lowered_names", c.lowered_names},
          {"compile_ms", c.compile_ms},
          {"inputs", std::move(inputs)},
          {"opened", std::move(opened)},
          {"headers", entry.headers_opened},
          {"probed_absent", entry.probed_absent}};
}

Entry from_metadata(const Json& json) {
  Entry entry;
  Compiled& c = entry.compiled;
  c.code = json.at("code") == "cubin" ? Code::cubin : Code::ptx;
  c.compiler = json.at("compiler");
  c.compiler_path = json.at("compiler_path");
  c.options = json.at("options").get<std::vector<std::string>>();
  c.log = json.at("log");
  c.lowered_names = json.at("lowered_names").get<std::map<std::string, std::string>>();
  c.compile_ms = json.at("compile_ms");
  for (const Json& input : json.at("inputs")) entry.inputs.push_back({input.at(0), input.at(1)});
  for (const Json& file : json.at("opened"))
    entry.opened.push_back({file.at(0), file.at(1), file.at(2), file.at(3)});
  entry.headers_opened = json.at("headers").get<std::vector<std::string>>();
  entry.probed_absent = json.at("probed_absent").get<std::vector<std::string>>();
  return entry;
}

/// What is wrong with the frame; empty where it is whole.
std::string frame_fault(std::string_view bytes) {
  if (std::string fault = header_fault(bytes.substr(0, kHeader), bytes.size()); !fault.empty()) return fault;
  if (store::checksum(bytes.substr(0, bytes.size() - kTrailer)) != bytes.substr(bytes.size() - kTrailer))
    return "changed since it was written";
  return {};
}

std::string_view metadata_text(std::string_view bytes) {
  return bytes.substr(kHeader, get(bytes, 48, 8));
}

}  // namespace

std::string header_fault(std::string_view header, std::uint64_t file_bytes) {
  if (file_bytes < kHeader + kTrailer || header.size() < kHeader)
    return "only " + std::to_string(file_bytes) + " bytes long";
  if (!header.starts_with(kMagic)) return "not a cache entry";
  if (get(header, 8, 4) != kFormatVersion) return "of another format version";
  const std::uint64_t room = file_bytes - kHeader - kTrailer;
  const std::uint64_t meta = get(header, 48, 8), payload = get(header, 56, 8);
  if (meta > room || payload != room - meta) return "cut off or grown";
  if (file_bytes > kMostEntryBytes) return "longer than any entry";
  return {};
}

std::string encode_entry(const Key& key, const Entry& entry) {
  // A compiler's log need not be UTF-8; what is not is replaced.
  const std::string meta = metadata(entry).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out(kMagic);
  put(out, kFormatVersion, 4);
  put(out, 0, 4);
  out.append(reinterpret_cast<const char*>(key.data()), key.size());
  put(out, meta.size(), 8);
  put(out, entry.compiled.image.size(), 8);
  out += meta;
  out.append(reinterpret_cast<const char*>(entry.compiled.image.data()), entry.compiled.image.size());
  out += store::checksum(out);
  return out;
}

std::optional<Entry> decode_entry(const Key& key, std::string_view bytes, std::string& why) {
  why = frame_fault(bytes);
  if (!why.empty()) return std::nullopt;
  if (std::memcmp(bytes.data() + 16, key.data(), key.size()) != 0) {
    why = "the entry of another key";
    return std::nullopt;
  }
  try {
    Entry entry = from_metadata(Json::parse(metadata_text(bytes)));
    const std::string_view payload = bytes.substr(kHeader + metadata_text(bytes).size(), get(bytes, 56, 8));
    entry.compiled.image = to_bytes(std::string(payload));
    return entry;
  } catch (const Json::exception&) {
    why = "without readable metadata";
    return std::nullopt;
  }
}

std::vector<CacheInput> decode_inputs(std::string_view bytes) {
  if (!frame_fault(bytes).empty()) return {};
  try {
    return from_metadata(Json::parse(metadata_text(bytes))).inputs;
  } catch (const Json::exception&) {
    return {};
  }
}

}  // namespace tare::detail
