// cuLink: PTX texts in, and one text out as the "cubin" that cuModuleLoadData takes. Each is parsed when it
// is added, as a linker would.
#include <cstring>
#include <fstream>
#include <iterator>

#include "cpu/driver/api.hpp"
#include "cpu/driver/jit_options.hpp"
#include "cpu/driver/link.hpp"
#include "cpu/driver/module.hpp"

namespace tare::cpu {

using abi::Result;

namespace {

template <typename Body>
Result with_link(abi::LinkState handle, Body body) {
  return entry([&](Process& process) -> Result {
    const auto link = process.links.find(handle);
    if (!link) return abi::kInvalidHandle;
    return body(*link);
  });
}

Result add(abi::LinkState handle, abi::Enum type, const void* data, std::size_t bytes, const char* name) {
  return with_link(handle, [&](LinkObject& link) -> Result {
    if (data == nullptr || bytes == 0 || type < 0 || type >= abi::jit::input_type_count)
      return abi::kInvalidValue;
    LoadLog log;
    std::string text(static_cast<const char*>(data), bytes);
    std::shared_ptr<const ptx::Module> parsed;
    Result result = parse_image(text.c_str(), parsed, log, Completeness::part);
    if (result == abi::kSuccess && type != abi::jit::input_ptx)
      result = fail(abi::kInvalidImage, "the CPU device links PTX, given as CU_JIT_INPUT_PTX");
    link.options.write(log.error, {}, 0.0f);
    if (result == abi::kSuccess)
      link.inputs.push_back({name != nullptr ? name : "<ptx>", text.c_str(), std::move(parsed)});
    return result;
  });
}

Result complete(LinkObject& link, LoadLog& log) {
  if (link.inputs.size() == 1) {
    link.ptx = link.inputs.front().text;
  } else {
    auto linked = ptx::link(link.inputs);
    if (const auto* error = std::get_if<ptx::ParseError>(&linked)) {
      log.error = "error   : " + error->message + "\n";
      return fail(abi::kInvalidPtx, error->message);
    }
    link.ptx = std::move(std::get<std::string>(linked));
  }
  std::shared_ptr<const ptx::Module> parsed;
  return parse_image(link.ptx.c_str(), parsed, log);
}

}  // namespace

TARE_API Result cuLinkCreate_v2(unsigned count, const abi::Enum* options, void** values,
                                abi::LinkState* out) {
  return entry_with_context([&](Process& process, const std::shared_ptr<ContextObject>&) -> Result {
    if (out == nullptr) return abi::kInvalidValue;
    auto link = std::make_shared<LinkObject>();
    if (const Result read = link->options.read(count, options, values); read != abi::kSuccess) return read;
    *out = reinterpret_cast<abi::LinkState>(link.get());
    process.links.add(std::move(link));
    return abi::kSuccess;
  });
}
TARE_API Result cuLinkCreate(unsigned count, const abi::Enum* options, void** values, abi::LinkState* out) {
  return cuLinkCreate_v2(count, options, values, out);
}

TARE_API Result cuLinkAddData_v2(abi::LinkState link, abi::Enum type, const void* data, std::size_t bytes,
                                 const char* name, unsigned, const abi::Enum*, void**) {
  return add(link, type, data, bytes, name);
}
TARE_API Result cuLinkAddData(abi::LinkState link, abi::Enum type, const void* data, std::size_t bytes,
                              const char* name, unsigned, const abi::Enum*, void**) {
  return add(link, type, data, bytes, name);
}

TARE_API Result cuLinkAddFile_v2(abi::LinkState link, abi::Enum type, const char* path, unsigned,
                                 const abi::Enum*, void**) {
  if (path == nullptr) return fail(abi::kInvalidValue);
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(abi::kFileNotFound, std::string("cannot open ") + path);
  const std::string image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return add(link, type, image.data(), image.size(), path);
}
TARE_API Result cuLinkAddFile(abi::LinkState link, abi::Enum type, const char* path, unsigned count,
                              const abi::Enum* options, void** values) {
  return cuLinkAddFile_v2(link, type, path, count, options, values);
}

TARE_API Result cuLinkComplete(abi::LinkState handle, void** image, std::size_t* bytes) {
  return with_link(handle, [&](LinkObject& link) -> Result {
    if (image == nullptr || link.inputs.empty()) return abi::kInvalidValue;
    LoadLog log;
    const Result result = complete(link, log);
    link.options.write(log.error, {}, 0.0f);
    if (result != abi::kSuccess) return result;
    *image = link.ptx.data();
    if (bytes != nullptr) *bytes = link.ptx.size() + 1;
    return abi::kSuccess;
  });
}

TARE_API Result cuLinkDestroy(abi::LinkState handle) {
  return entry([&](Process& process) -> Result {
    return process.links.remove(handle) ? abi::kSuccess : abi::kInvalidHandle;
  });
}

}  // namespace tare::cpu
