// Compiles and launches one kernel of one thread through libtare, for its outputs alone.
#include "compare/case/device_reference.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "compile/temporary_directory.hpp"
#include "tare/tare.hpp"

namespace tare::compare {
namespace {

using Json = nlohmann::json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

DeviceReference decode_task(const std::string& text) {
  const Json json = Json::parse(text);
  DeviceReference task{json.at("name"), json.at("file_name"), json.at("nvrtc"), json.at("clang"), {}};
  for (const Json& each : json.at("arguments"))
    task.arguments.push_back({each.at("offset"), each.at("bytes"), each.at("buffer"), each.at("output")});
  return task;
}

std::string encode_result(const ReferenceRun& run) {
  return dumped({{"ran", run.ran}, {"how", run.how}, {"problem", run.problem}, {"log", run.log}});
}

/// The owner's shared memory, mapped for as long as this process lives.
std::span<std::byte> map_memory(const std::filesystem::path& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (fd < 0 || fstat(fd, &status) != 0) throw Error(ErrorKind::io, "cannot open the shared memory");
  const auto bytes = static_cast<std::size_t>(status.st_size);
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) throw Error(ErrorKind::io, "cannot map the shared memory");
  return {static_cast<std::byte*>(mapped), bytes};
}

/// The first program that compiles; else the first refusal, which is the one to report.
template <class Compile>
LoadedProgram compile_any(const std::vector<std::string>& programs, const Compile& compile) {
  try {
    return compile(programs.front());
  } catch (const CompileError& alone) {
    try {
      return compile(programs.back());
    } catch (const CompileError&) {
      throw alone;
    }
  }
}

LoadedProgram compile_task(const PrimaryContext& context, const DeviceReference& task) {
  CompileOptions options;
  options.set_strict_fp();
  options.file_name = task.file_name;
  if (!find_nvrtc().tool)
    return compile_any(task.for_clang, [&](const std::string& text) {
      return ClangProgram(context, text, options).compile({kReferenceEntry});
    });
  options.extra.push_back("--device-as-default-execution-space");
  return compile_any(task.for_nvrtc, [&](const std::string& text) {
    return Program(context, text, options).compile(Code::cubin, {kReferenceEntry});
  });
}

void launch(const PrimaryContext& context, const Kernel& kernel, const DeviceReference& task,
            std::span<std::byte> memory) {
  const std::size_t count = task.arguments.size();
  std::vector<Buffer> buffers(count);
  std::vector<std::uint64_t> addresses(count);
  std::vector<void*> arguments(count);
  std::vector<std::size_t> sizes(count);
  const auto bytes_of = [&](std::size_t i) {
    return memory.subspan(task.arguments[i].offset, task.arguments[i].bytes);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const DeviceReference::Argument& argument = task.arguments[i];
    if (argument.is_buffer) {
      buffers[i] = Buffer(context, argument.bytes);
      if (argument.bytes != 0) buffers[i].copy_from(bytes_of(i));
      addresses[i] = buffers[i].address();
      arguments[i] = &addresses[i];
      sizes[i] = sizeof addresses[i];
    } else {
      arguments[i] = bytes_of(i).data();
      sizes[i] = argument.bytes;
    }
  }
  const Stream stream(context);
  kernel.launch(stream, Launch(), arguments, sizes);
  stream.synchronize();
  for (std::size_t i = 0; i < count; ++i)
    if (task.arguments[i].is_output && task.arguments[i].bytes != 0) buffers[i].copy_to(bytes_of(i));
}

ReferenceRun run(const DeviceReference& task, std::span<std::byte> memory) {
  ReferenceRun run;
  try {
    const PrimaryContext context;
    const auto scope = context.enter();
    const LoadedProgram program = compile_task(context, task);
    launch(context, program.kernel(kReferenceEntry), task, memory);
    run.ran = true;
    run.how = task.name + " as a kernel of one thread, compiled by " + program.compiled().compiler + ", on " +
              context.device().name();
  } catch (const CompileError& error) {
    run.problem = error.what();
    run.log = error.log();
  } catch (const Error& error) {
    run.problem = error.what();
  }
  return run;
}

}  // namespace

std::string encode(const DeviceReference& task) {
  Json arguments = Json::array();
  for (const DeviceReference::Argument& each : task.arguments)
    arguments.push_back({{"offset", each.offset},
                         {"bytes", each.bytes},
                         {"buffer", each.is_buffer},
                         {"output", each.is_output}});
  return dumped({{"name", task.name},
                 {"file_name", task.file_name},
                 {"nvrtc", task.for_nvrtc},
                 {"clang", task.for_clang},
                 {"arguments", std::move(arguments)}});
}

ReferenceRun decode_result(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  ReferenceRun run;
  if (json.is_discarded()) {
    run.problem = "its process left no result";
    return run;
  }
  run.ran = json.at("ran");
  run.how = json.at("how");
  run.problem = json.at("problem");
  run.log = json.at("log");
  return run;
}

std::filesystem::path result_file(const std::filesystem::path& task) {
  return task.parent_path() / "result.json";
}

int device_reference_main(const std::filesystem::path& task, const std::filesystem::path& memory) {
  try {
    const ReferenceRun done = run(decode_task(tare::detail::read_file(task)), map_memory(memory));
    std::ofstream out(result_file(task), std::ios::binary);
    out << encode_result(done);
    out.close();
    return out ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace tare::compare
