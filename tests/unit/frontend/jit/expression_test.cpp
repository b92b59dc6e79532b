// Random expressions over every type and operator: what a traced kernel computes is what the same expression
// gives in C++, with the results of docs/jit.md where C++ gives none.
#include <sstream>

#include "expressions.hpp"
#include "fixture.hpp"

#ifdef TARE_HAVE_RAPIDCHECK
#include <rapidcheck.h>

namespace tare::expressions {
namespace {

constexpr std::size_t kRows = 32;  // of input values, a thread each

/// Each kernel runs once: the CPU device need not optimise it, nor keep it. (Heeded where no earlier test of
/// the same process has loaded the driver.)
struct RunOnce {
  fixtures::ScopedEnvironment environment{
      fixtures::ScopedEnvironment::Changes{{"TARE_CPU_OPT", "0"}, {"CUDA_CACHE_DISABLE", "1"}}};
};

class JitExpressions : private RunOnce, public fixtures::JitTest {
 protected:
  JitExpressions() {
    setenv("RC_PARAMS", "seed=20261202", 0);  // the same trees every time, unless others are asked for
    std::mt19937_64 random(20261202);
    for (std::size_t row = 0; row < kRows; ++row)
      for (std::size_t type = 0; type < kTypes; ++type) rows_[row].push_back(any_number_of(type, random));
  }

  /// The elements of all rows that have this type.
  template <std::size_t type>
  Buffer column() const {
    using T = std::variant_alternative_t<type, Number>;
    std::vector<std::array<std::byte, sizeof(T)>> elements;
    for (const auto& row : rows_)
      elements.push_back(std::bit_cast<std::array<std::byte, sizeof(T)>>(std::get<type>(row[type])));
    return buffer(elements);
  }

  template <std::size_t... type>
  std::vector<std::uint64_t> on_device(const std::vector<Expression>& trees, JitCompiler compiler,
                                       std::index_sequence<type...>) const {
    JitOptions options;
    options.set_strict_fp();
    options.compiler = compiler;
    const auto kernel = jit(
        [&](auto out, auto... columns) {
          const auto i = thread_index().x;
          const std::vector<Traced> inputs{Traced(detail::value_of(columns[i]))...};
          std::vector<Value<std::uint64_t>>
              results;  // first all, because an input is not read anew after a write
          for (const Expression& tree : trees) results.push_back(bits_of(traced(tree, inputs)));
          // In halves: ptxas 13.0 takes the bits of a float made of a truth value, widened to 64 bits, for 1.
          for (std::size_t tree = 0; tree < trees.size(); ++tree) {
            const auto element = (i + static_cast<unsigned>(tree * kRows)) * 2u;
            out[element] = cast<std::uint32_t>(results[tree]);
            out[element + 1u] = cast<std::uint32_t>(results[tree] >> 32);
          }
        },
        options);
    const Buffer columns[] = {column<type>()...};
    const Buffer out = buffer(std::vector<std::uint64_t>(trees.size() * kRows));
    kernel({1, kRows, stream_}, device_span<std::uint32_t>(out),
           device_span<const std::variant_alternative_t<type, Number>>(columns[type])...);
    return read<std::uint64_t>(out);
  }

  /// The first tree and row in which kernel and host differ.
  struct Difference {
    std::size_t tree, row;
    std::uint64_t got, expected;
  };
  std::optional<Difference> difference(const std::vector<Expression>& trees, JitCompiler compiler) const {
    const auto got = on_device(trees, compiler, std::make_index_sequence<kTypes>());
    for (std::size_t row = 0; row < kRows; ++row) {
      // What overflows is undefined for the whole thread: libNVVM concludes from -x that x is not the lowest
      // number, and uses it wherever x stands.
      const auto expected = on_host(trees, rows_[row]);
      if (!expected) continue;
      compared_ += trees.size();
      for (std::size_t tree = 0; tree < trees.size(); ++tree)
        if (const std::uint64_t bits = got[tree * kRows + row]; !agrees((*expected)[tree], bits))
          return Difference{tree, row, bits, bits_of((*expected)[tree])};
    }
    return std::nullopt;
  }

  /// Fails with the smallest part of the first tree that differs, where one does.
  void check(const std::vector<Expression>& trees, JitCompiler compiler) const {
    auto found = difference(trees, compiler);
    if (!found) return;
    Expression tree = trees[found->tree];
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (const Expression& child : std::vector<Expression>(tree.children))
        if (const auto in_child = difference({child}, compiler)) {
          found = in_child;
          tree = child;
          smaller = true;
          break;
        }
    }
    std::ostringstream text;
    if (const auto alone = difference({tree}, compiler))
      found = alone;
    else
      text << "(only among the other trees of its kernel) ";
    show(tree, text);
    for (std::size_t type = 0; type < kTypes; ++type)
      std::visit([&](auto x) { text << (type == 0 ? "\n  inputs " : ", ") << +x; }, rows_[found->row][type]);
    text << std::hex << "\n  the kernel has " << found->got << ", C++ " << found->expected;
    RC_FAIL(text.str());
  }

  /// 100 times as many kernels, unless RC_PARAMS says otherwise.
  bool all_agree(int kernels, int trees, JitCompiler compiler) const {
    return rc::check([&] {
      for (int kernel = 0; kernel < kernels; ++kernel)
        check(make_trees(*rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, 1ull << 62)), trees),
              compiler);
    });
  }

  std::array<std::vector<Number>, kRows> rows_;
  mutable std::size_t compared_ = 0;  // values of trees
};

TEST_F(JitExpressions, AHundredThousandTreesAreWhatTheyAreInCpp) {
  TARE_NEEDS(nvvm);
  EXPECT_TRUE(all_agree(10, 100, JitCompiler::libnvvm));
  EXPECT_GT(compared_, 100000u);
}

TEST_F(JitExpressions, ThreeThousandTreesAreTheSameWithClang) {
  TARE_NEEDS(clang);
  EXPECT_TRUE(all_agree(1, 30, JitCompiler::clang));
}

}  // namespace
}  // namespace tare::expressions
#else
TEST(JitExpressions, AHundredThousandTreesAreWhatTheyAreInCpp) {
  GTEST_SKIP() << "rapidcheck was not found when the tests were configured";
}
#endif
