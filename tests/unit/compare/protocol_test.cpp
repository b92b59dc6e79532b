// Lines of the worker protocol: what is written is what is read, and what is wrong is said.
#include "compare/protocol.hpp"

#include <gtest/gtest.h>

#include "compare/host_program.hpp"

namespace tare::compare {
namespace {

std::string refusal(const std::string& line) {
  try {
    decode_reply(line);
  } catch (const ProtocolError& e) {
    return e.what();
  }
  return "accepted";
}

Task example_task() {
  Task task;
  task.job.kernel_name = "scale<float>";
  task.job.source = "line one\nline \"two\" \xff";
  task.job.source_file_name = "scale.cu";
  task.job.source_first_line = 7;
  task.job.values = {{"n", -3}};
  task.job.grid = {4, 5, 6};
  task.job.jit_kernel = "scale";
  task.job.dynamic_shared_bytes = 49152;
  JobArgument buffer;
  buffer.name = "x";
  buffer.type = "const float4*";
  buffer.element = {"float4", 16, 16, ElementType::Kind::floating, 4};
  buffer.is_buffer = buffer.is_const = true;
  buffer.count = 5'000'000'000;
  JobArgument scalar;
  scalar.name = "k";
  scalar.type = "unsigned short";
  scalar.element = {"unsigned short", 2, 2, ElementType::Kind::unsigned_integer, 1};
  scalar.value = {std::byte{0x34}, std::byte{0xf2}};
  task.job.arguments = {buffer, scalar};
  task.ipc_handles = {"00ff", ""};
  task.tools = {{"nvrtc", "/lib/libnvrtc.so.13"}};
  task.fp = "strict";
  task.ptx_only = true;
  task.compute_capability = 103;
  return task;
}

TEST(Protocol, AnOpenRequestSurvivesTheLine) {
  Request request;
  request.kind = RequestKind::open;
  request.task = example_task();
  const std::string line = encode(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const Task task = decode_request(line).task.value();
  EXPECT_EQ(task.job.kernel_name, "scale<float>");
  EXPECT_EQ(task.job.source, "line one\nline \"two\" \xef\xbf\xbd");  // what is not UTF-8 is replaced
  EXPECT_EQ(task.job.source_first_line, 7);
  EXPECT_EQ(task.job.values.at("n"), -3);
  EXPECT_EQ(task.job.grid, (std::array<unsigned, 3>{4, 5, 6}));
  EXPECT_EQ(task.job.jit_kernel, "scale");
  EXPECT_EQ(task.job.dynamic_shared_bytes, 49152u);
  ASSERT_EQ(task.job.arguments.size(), 2u);
  EXPECT_EQ(task.job.arguments[0].bytes(), 80'000'000'000u);
  EXPECT_EQ(task.job.arguments[0].element.lanes, 4u);
  EXPECT_TRUE(task.job.arguments[0].is_const);
  EXPECT_EQ(task.job.arguments[1].element.kind, ElementType::Kind::unsigned_integer);
  EXPECT_EQ(to_hex(task.job.arguments[1].value.data(), 2), "34f2");
  EXPECT_EQ(task.ipc_handles, (std::vector<std::string>{"00ff", ""}));
  EXPECT_EQ(task.tools.at("nvrtc"), "/lib/libnvrtc.so.13");
  EXPECT_EQ(task.fp, "strict");
  EXPECT_TRUE(task.ptx_only);
  EXPECT_EQ(task.compute_capability, 103);
}

TEST(Protocol, AReplySurvivesTheLine) {
  Reply reply;
  reply.reply = "build";
  reply.figures["build_ms"] = 12.5;
  reply.events = {{1.25, "compiler"}};
  reply.options = {"-std=c++17", "-arch=sm_90"};
  reply.compiles = 2;
  reply.cache = "hit";
  reply.cache_details = {{"key", "value"}};
  const Reply read = decode_reply(encode(reply));
  EXPECT_EQ(read.figure("build_ms"), 12.5);
  EXPECT_EQ(read.events.at(0).what, "compiler");
  EXPECT_EQ(read.events.at(0).t_ms, 1.25);
  EXPECT_EQ(read.options, reply.options);
  EXPECT_EQ(read.compiles, 2u);
  EXPECT_EQ(read.cache, "hit");
  EXPECT_EQ(read.cache_details.at("key"), "value");
}

TEST(Protocol, WhatIsNoReplyIsRefused) {
  EXPECT_EQ(refusal("hello"), "something that is not JSON");
  EXPECT_EQ(refusal("[1]"), "something that is not JSON");
  EXPECT_EQ(refusal("{}"), "JSON that is not a reply");
  EXPECT_EQ(refusal("{\"reply\":7}"), "JSON that is not a reply");
  EXPECT_EQ(refusal("{\"reply\":\"build\",\"options\":3}"), "JSON that is not a reply");
  EXPECT_EQ(refusal("{\"reply\":\"build\",\"something\":\"new\"}"), "accepted");
}

TEST(Protocol, HexIsLowerCasePairs) {
  EXPECT_THROW(from_hex("0"), ProtocolError);
  EXPECT_THROW(from_hex("0G"), ProtocolError);
  EXPECT_THROW(from_hex("AB"), ProtocolError);
  EXPECT_EQ(from_hex("00ff").at(1), std::byte{255});
}

TEST(HostProgram, LaunchesTheKernelWithEachArgumentAsItsOwnType) {
  Job job = example_task().job;
  job.source = "template <class T> __global__ void scale(const float4* x, unsigned short k) {}";
  EXPECT_EQ(host_program_source(job),
            "#line 7 \"scale.cu\"\n"
            "template <class T> __global__ void scale(const float4* x, unsigned short k) {}\n"
            "#line 1 \"launch\"\n"
            "using tare_type_0 = const float4*;\n"
            "using tare_type_1 = unsigned short;\n"
            "extern \"C\" int tare_launch(void** arguments, const unsigned* grid, const unsigned* block,\n"
            "                           unsigned dynamic_shared_bytes, void* stream) {\n"
            "  scale<float><<<dim3(grid[0], grid[1], grid[2]), dim3(block[0], block[1], block[2]),\n"
            "      dynamic_shared_bytes, (cudaStream_t)stream>>>(\n"
            "      *(tare_type_0*)arguments[0],\n"
            "      *(tare_type_1*)arguments[1]);\n"
            "  return (int)cudaGetLastError();\n"
            "}\n");
}

}  // namespace
}  // namespace tare::compare
