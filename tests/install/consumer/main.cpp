// A program of someone else's: finds the installed library, launches a kernel on the installed CPU
// device from PTX of its own, and prints the answer and the driver.
#include <cstdio>
#include <cstring>
#include <span>
#include <string_view>
#include <tare/tare.hpp>

constexpr std::string_view kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 out, .param .u32 value)
{
  .reg .b32 %r<2>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [out];
  ld.param.u32 %r1, [value];
  add.s32 %r1, %r1, 1;
  st.global.u32 [%d1], %r1;
  ret;
}
)";

int main() {
  tare::PrimaryContext context;
  auto scope = context.enter();
  tare::Stream stream(context);
  tare::Buffer out(context, sizeof(int));
  const tare::Module module = tare::Module::load(context, std::as_bytes(std::span(kPtx)));
  const tare::Kernel kernel = module.kernel("store");
  kernel.launch(stream, {.grid = {1}, .block = {1}}, out.pointer(), 41);
  stream.synchronize();
  int answer = 0;
  out.copy_to(std::as_writable_bytes(std::span(&answer, 1)));
  std::printf("%s: %d on %s\n", tare::version(), answer, tare::driver_info().path.c_str());
  return answer == 42 ? 0 : 1;
}
