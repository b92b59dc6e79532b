// Requests and replies to and from lines of JSON. The only file of the flow that knows the JSON library.
#include "compare/protocol.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace tare::compare {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 10> kNames{"hello",  "open",    "build",  "first",   "steady",
                                                  "launch", "cold_l2", "refill", "collect", "close"};

constexpr std::array<std::string_view, 7> kElementKinds{
    "floating", "signed_integer", "unsigned_integer", "boolean", "half", "bfloat16", "aggregate"};

// What is not UTF-8 in a compiler's log must not stop the reply that carries it.
std::string dump(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json element_json(const ElementType& element) {
  return {{"name", element.name},
          {"size", element.size},
          {"alignment", element.alignment},
          {"kind", kElementKinds[static_cast<std::size_t>(element.kind)]},
          {"lanes", element.lanes}};
}

ElementType element_from(const json& value) {
  ElementType element;
  element.name = value.at("name");
  element.size = value.at("size");
  element.alignment = value.at("alignment");
  element.lanes = value.at("lanes");
  const std::string kind = value.at("kind");
  for (std::size_t i = 0; i < kElementKinds.size(); ++i)
    if (kElementKinds[i] == kind) element.kind = static_cast<ElementType::Kind>(i);
  return element;
}

json arguments_json(const Task& task) {
  json all = json::array();
  for (std::size_t i = 0; i < task.job.arguments.size(); ++i) {
    const JobArgument& argument = task.job.arguments[i];
    json one{{"name", argument.name},
             {"type", argument.type},
             {"element", element_json(argument.element)},
             {"buffer", argument.is_buffer}};
    if (argument.is_buffer) {
      one["const"] = argument.is_const;
      one["count"] = argument.count;
      one["bytes"] = argument.bytes();
      if (task.memory == MemoryMode::ipc)
        one["ipc"] = task.ipc_handles.at(i);
      else
        one["offset"] = task.memory_offsets.at(i);
    } else {
      one["value"] = to_hex(argument.value.data(), argument.value.size());
    }
    all.push_back(std::move(one));
  }
  return all;
}

void arguments_from(const json& all, Task& task) {
  for (const json& one : all) {
    JobArgument argument;
    argument.name = one.at("name");
    argument.type = one.at("type");
    argument.element = element_from(one.at("element"));
    argument.is_buffer = one.at("buffer");
    std::string handle;
    std::uint64_t offset = 0;
    if (argument.is_buffer) {
      argument.is_const = one.at("const");
      argument.count = one.at("count");
      handle = one.value("ipc", "");
      offset = one.value("offset", std::uint64_t{0});
    } else {
      argument.value = from_hex(one.at("value").get<std::string>());
    }
    task.job.arguments.push_back(std::move(argument));
    task.ipc_handles.push_back(std::move(handle));
    task.memory_offsets.push_back(offset);
  }
}

void task_json(json& line, const Task& task) {
  const Job& job = task.job;
  line["device"] = task.device;
  line["memory"] = task.memory == MemoryMode::ipc ? "ipc" : "own";
  line["memory_bytes"] = task.memory_bytes;
  line["target"] = {{"compute_capability", task.compute_capability}, {"ptx_only", task.ptx_only}};
  line["tools"] = task.tools;
  line["fp"] = task.fp;
  line["prebuilt"] = task.prebuilt;
  line["include_dirs"] = task.include_dirs;
  line["toolkit_include_dirs"] = task.toolkit_include_dirs;
  line["kernel"] = job.kernel_name;
  line["source"] = {
      {"text", job.source}, {"file", job.source_file_name}, {"first_line", job.source_first_line}};
  line["python"] = {{"file", job.python_file}, {"function", job.python_function}};
  line["jit"] = {{"kernel", job.jit_kernel}};
  line["array"] = job.array;
  line["values"] = job.values;
  line["launch"] = {
      {"grid", job.grid}, {"block", job.block}, {"dynamic_shared_bytes", job.dynamic_shared_bytes}};
  line["arguments"] = arguments_json(task);
}

Task task_from(const json& line) {
  Task task;
  Job& job = task.job;
  task.device = line.at("device");
  task.memory = line.at("memory") == "ipc" ? MemoryMode::ipc : MemoryMode::own;
  task.memory_bytes = line.at("memory_bytes");
  task.compute_capability = line.at("target").at("compute_capability");
  task.ptx_only = line.at("target").at("ptx_only");
  task.tools = line.at("tools").get<std::map<std::string, std::string>>();
  task.fp = line.at("fp");
  task.prebuilt = line.at("prebuilt");
  task.include_dirs = line.at("include_dirs").get<std::vector<std::string>>();
  task.toolkit_include_dirs = line.value("toolkit_include_dirs", std::vector<std::string>());
  job.kernel_name = line.at("kernel");
  job.source = line.at("source").at("text");
  job.source_file_name = line.at("source").at("file");
  job.source_first_line = line.at("source").at("first_line");
  job.python_file = line.at("python").at("file");
  job.python_function = line.at("python").at("function");
  if (const auto jit = line.find("jit"); jit != line.end()) job.jit_kernel = jit->value("kernel", "");
  job.array = line.value("array", "");
  job.values = line.at("values").get<std::map<std::string, std::int64_t>>();
  job.grid = line.at("launch").at("grid").get<std::array<unsigned, 3>>();
  job.block = line.at("launch").at("block").get<std::array<unsigned, 3>>();
  job.dynamic_shared_bytes = line.at("launch").at("dynamic_shared_bytes");
  arguments_from(line.at("arguments"), task);
  return task;
}

json parse(std::string_view line) {
  json value = json::parse(line, nullptr, false);
  if (value.is_discarded() || !value.is_object()) throw ProtocolError("something that is not JSON");
  return value;
}

void optional_text(json& line, const char* key, const std::string& text) {
  if (!text.empty()) line[key] = text;
}

}  // namespace

std::string_view name(RequestKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::string to_hex(const std::byte* bytes, std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    hex += kDigits[std::to_integer<unsigned>(bytes[i] >> 4)];
    hex += kDigits[std::to_integer<unsigned>(bytes[i] & std::byte{15})];
  }
  return hex;
}

std::vector<std::byte> from_hex(std::string_view hex) {
  const auto digit = [](char c) -> unsigned {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
    throw ProtocolError("bytes that are not lower-case hex");
  };
  if (hex.size() % 2 != 0) throw ProtocolError("an odd number of hex digits");
  std::vector<std::byte> bytes(hex.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(digit(hex[2 * i]) * 16 + digit(hex[2 * i + 1]));
  return bytes;
}

std::string encode(const Request& request) {
  json line{{"request", name(request.kind)}};
  switch (request.kind) {
    case RequestKind::hello:
      line["protocol"] = request.protocol;
      line["row"] = request.row;
      line["spawned_ns"] = request.spawned_ns;
      break;
    case RequestKind::open:
      task_json(line, request.task.value());
      break;
    case RequestKind::steady:
      line["warm_ms"] = request.warm_ms;
      line["warmup"] = request.warmup;
      line["timed"] = request.timed;
      line["gate"] = request.gate;
      break;
    case RequestKind::launch:
      line["batch"] = request.batch;
      line["batches"] = request.batches;
      break;
    case RequestKind::cold_l2:
      line["timed"] = request.timed;
      line["flush_bytes"] = request.flush_bytes;
      break;
    default:
      break;
  }
  return dump(line);
}

Request decode_request(std::string_view text) try {
  const json line = parse(text);
  const std::string wanted = line.at("request");
  Request request;
  std::size_t kind = 0;
  while (kind < kNames.size() && kNames[kind] != wanted) ++kind;
  if (kind == kNames.size()) throw ProtocolError("unknown request `" + wanted + "`");
  request.kind = static_cast<RequestKind>(kind);
  request.protocol = line.value("protocol", kProtocolVersion);
  request.row = line.value("row", "");
  request.spawned_ns = line.value("spawned_ns", std::uint64_t{0});
  if (request.kind == RequestKind::open) request.task = task_from(line);
  request.warm_ms = line.value("warm_ms", 0.0);
  request.warmup = line.value("warmup", 0);
  request.timed = line.value("timed", 0);
  request.gate = line.value("gate", false);
  request.batch = line.value("batch", 0);
  request.batches = line.value("batches", 0);
  request.flush_bytes = line.value("flush_bytes", std::uint64_t{0});
  return request;
} catch (const json::exception& e) {
  throw ProtocolError(e.what());
}

std::string encode(const Reply& reply) {
  json line{{"reply", reply.reply}};
  if (reply.error) {
    line["error"] = {{"kind", reply.error->kind}, {"message", reply.error->message}};
    optional_text(line["error"], "hint", reply.error->hint);
    optional_text(line["error"], "log", reply.error->log);
  }
  for (const auto& [key, value] : reply.figures) line[key] = value;
  if (!reply.events.empty()) {
    json& events = line["events"] = json::array();
    for (const RowEvent& event : reply.events) events.push_back({{"t_ms", event.t_ms}, {"what", event.what}});
  }
  optional_text(line, "version", reply.version);
  if (!reply.libraries.empty()) line["libraries"] = reply.libraries;
  if (reply.collects) line["collects"] = true;
  optional_text(line, "compiler", reply.compiler);
  optional_text(line, "compiler_path", reply.compiler_path);
  optional_text(line, "log", reply.log);
  if (!reply.options.empty()) line["options"] = reply.options;
  if (reply.compiles) line["compiles"] = *reply.compiles;
  if (!reply.cache.empty()) line["cache"] = {{"result", reply.cache}, {"details", reply.cache_details}};
  if (!reply.notes.empty()) line["notes"] = reply.notes;
  return dump(line);
}

Reply decode_reply(std::string_view text) try {
  const json line = parse(text);
  Reply reply;
  reply.reply = line.at("reply");
  if (const auto error = line.find("error"); error != line.end())
    reply.error = ReplyError{error->value("kind", "driver"), error->at("message"), error->value("hint", ""),
                             error->value("log", "")};
  for (const auto& [key, value] : line.items())
    if (value.is_number() && key != "compiles") reply.figures[key] = value;
  for (const json& event : line.value("events", json::array()))
    reply.events.push_back({event.at("t_ms"), event.at("what")});
  reply.version = line.value("version", "");
  reply.libraries = line.value("libraries", std::map<std::string, std::string>{});
  reply.collects = line.value("collects", false);
  reply.compiler = line.value("compiler", "");
  reply.compiler_path = line.value("compiler_path", "");
  reply.log = line.value("log", "");
  reply.options = line.value("options", std::vector<std::string>{});
  if (line.contains("compiles")) reply.compiles = line.at("compiles").get<std::uint64_t>();
  if (const auto cache = line.find("cache"); cache != line.end()) {
    reply.cache = cache->at("result");
    reply.cache_details = cache->value("details", std::map<std::string, std::string>{});
  }
  reply.notes = line.value("notes", std::vector<std::string>{});
  return reply;
} catch (const json::exception&) {
  throw ProtocolError("JSON that is not a reply");
}

double Reply::figure(const std::string& key) const {
  const auto found = figures.find(key);
  if (found == figures.end()) throw ProtocolError("its worker answered `" + reply + "` with no " + key);
  if (!std::isfinite(found->second) || found->second < 0)
    throw ProtocolError(fmt::format("its worker answered `{}` with {} = {:g}", reply, key, found->second));
  return found->second;
}

}  // namespace tare::compare
