// libNVVM reads two dialects of IR: with typed pointers below compute_100, with plain ones from there on. A
// kernel with the whole vocabulary is taken in the one that its architecture wants. Needs no device.
#include "compile/compile_ir.hpp"
#include "fixture.hpp"
#include "frontend/jit/emit.hpp"
#include "frontend/jit/trace.hpp"

namespace tare {
namespace {

using ::testing::HasSubstr;

const auto kEverything = [](auto out, auto reals, auto flag, auto x) {
  const auto i = cast<int>(thread_index().x);
  const auto tile = shared_array<double, 4, 8>();
  const auto dynamic = dynamic_shared_array<float>(32);
  const auto local = local_array<int, 8>();
  const auto table = constant_array(std::array<float, 2>{0.5f, -1.0f});
  auto sum = var(0);
  for_(0, i, [&](auto k) {
    if_(k == 3 && flag, [] { continue_(); }).else_([&] { sum += k % (i + 1); });
    local[k % 8] = sum;
  });
  while_([&] { return sum > 10 || (flag && out[i] == 1); }, [&] { sum -= 7; });
  tile[i / 8][i % 8] = sin(x) + sqrt(x) * rint(-x) + table[i % 2] + local[i % 8];
  dynamic[i] = fmin(reals[i], floor(x)) + cast<float>(i) + cast<float>(cast<std::int8_t>(i));
  sync_threads();
  fence_device();
  atomic_add(out[0], cast<int>(tile[0][0]));
  atomic_compare_exchange(out[1], 0, popc(i));
  reals[i] = shfl_xor_sync(kWholeWarp, dynamic[i], 1) + cast<float>(ballot_sync(kWholeWarp, flag));
  print("%d %f\n", i, x);
  assert_(i >= 0);
};

class JitArchitectures : public ::testing::TestWithParam<int> {};

TEST_P(JitArchitectures, TakeAKernelWithTheWholeVocabulary) {
  TARE_NEEDS(nvvm);
  const int architecture = GetParam();
  const detail::JitParameter parameters[] = {{detail::Scalar::i32, true, false},
                                             {detail::Scalar::f32, true, false},
                                             {detail::Scalar::boolean, false, false},
                                             {detail::Scalar::f32, false, false}};
  detail::Trace trace("everything", parameters, detail::Where::current());
  kEverything(detail::Traced<DeviceSpan<int>>::make(0), detail::Traced<DeviceSpan<float>>::make(1),
              detail::Traced<bool>::make(2), detail::Traced<float>::make(3));
  const Tool nvvm = *find_nvvm().tool;
  const bool typed = architecture < 100;
  const auto ir = detail::emit_ir(trace.program(), {.typed_pointers = typed, .has_libdevice = true});
  EXPECT_TRUE(ir.uses_libdevice);
  CompileOptions options;
  options.arch = "compute_" + std::to_string(architecture);
  try {
    const Compiled compiled =
        detail::compile_nvvm(nvvm, {"everything", ir.text, libdevice_of(nvvm)}, options);
    const std::string ptx(reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size());
    EXPECT_THAT(ptx, HasSubstr(".target sm_" + std::to_string(architecture)));
    EXPECT_THAT(ptx, HasSubstr(".entry everything("));
  } catch (const CompileError& error) {
    FAIL() << error.what() << "\n" << error.log();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::argument) throw;
    GTEST_SKIP() << error.what();
  }
}

TEST(JitArchitecture, AnAtomicOnHalfThatIsNotThereNamesTheLine) {
  const detail::JitParameter parameters[] = {{detail::Scalar::f16, true, false}};
  detail::Trace trace("halves", parameters, detail::Where::current());
  const auto out = detail::Traced<DeviceSpan<half>>::make(0);
  atomic_add(out[0], 1);
  const auto emit = [&](int architecture) {
    detail::IrDialect dialect;
    dialect.architecture = architecture;
    return detail::emit_ir(trace.program(), dialect).text;
  };
  EXPECT_THAT(emit(70), HasSubstr("atom.global.add.noftz.f16"));
  const Error error = fixtures::error_of([&] { emit(61); });
  EXPECT_EQ(error.kind(), ErrorKind::unsupported);
  EXPECT_THAT(error.what(), ::testing::ContainsRegex(
                                "architecture_test.cpp:[0-9]+, in the kernel `halves`: atomic_add on half is "
                                "there from sm_70 on, this device is sm_61"));
}

INSTANTIATE_TEST_SUITE_P(Of, JitArchitectures, ::testing::Values(75, 80, 90, 100, 120));

}  // namespace
}  // namespace tare
