// 648 instruction forms against what an NVIDIA H200 answered to them, bit for bit (conformance/truth). The
// test prints the table of differences: conformance --gtest_filter='Truth.*'
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "conformance/driver.hpp"

namespace tare::conformance {
namespace {

constexpr std::size_t kMostResults = 16384;
constexpr std::size_t kUnaryResults = 4096;

using Words = std::vector<std::uint64_t>;

struct Form {
  std::uint32_t id = 0;
  std::string text, result;
  std::vector<std::string> inputs;
  bool is_approximate() const {
    return text.find(".approx") != std::string::npos || text.find(".full") != std::string::npos;
  }
};

std::filesystem::path folder() {
  return std::filesystem::path(TARE_SOURCE_DIR) / "tests/conformance/truth";
}

std::vector<Form> read_forms() {
  std::vector<Form> forms;
  std::ifstream in(folder() / "operations.txt");
  std::string inputs;
  for (Form form; in >> form.id >> form.text >> form.result >> inputs;) {
    form.inputs.clear();
    std::istringstream list(inputs);
    for (std::string type; std::getline(list, type, ',');) form.inputs.push_back(type);
    forms.push_back(form);
  }
  return forms;
}

/// The special values of each type.
std::map<std::string, Words> read_inputs() {
  std::map<std::string, Words> values;
  std::ifstream in(folder() / "inputs.txt");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string type;
    words >> type >> std::hex;
    for (std::uint64_t value = 0; words >> value;) values[type].push_back(value);
  }
  return values;
}

/// Per form an id, a count and the results.
std::map<std::uint32_t, Words> read_record() {
  std::map<std::uint32_t, Words> record;
  FILE* pipe = popen(("xz -dc " + (folder() / "h200.bin.xz").string()).c_str(), "r");
  std::uint32_t head[2];
  while (pipe != nullptr && std::fread(head, sizeof head, 1, pipe) == 1) {
    Words& words = record[head[0]];
    words.resize(head[1]);
    if (std::fread(words.data(), sizeof(std::uint64_t), words.size(), pipe) != words.size()) break;
  }
  if (pipe != nullptr) pclose(pipe);
  return record;
}

struct Operands {
  Words a, b, c;
};

/// One operand: all special values, then random ones. Two: every pair. Three: random triples.
Operands operands_of(const Form& form, const std::map<std::string, Words>& values) {
  Operands operands;
  std::mt19937_64 random(form.id * 7919 + 1);
  const auto add = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    operands.a.push_back(a);
    operands.b.push_back(b);
    operands.c.push_back(c);
  };
  const Words& first = values.at(form.inputs[0]);
  if (form.inputs.size() == 1) {
    for (const std::uint64_t value : first) add(value, 0, 0);
    while (operands.a.size() < kUnaryResults) add(random(), 0, 0);
    return operands;
  }
  const Words& second = values.at(form.inputs[1]);
  if (form.inputs.size() == 2) {
    for (const std::uint64_t a : first) {
      for (const std::uint64_t b : second) {
        if (operands.a.size() < kMostResults) add(a, b, 0);
      }
    }
    return operands;
  }
  const Words& third = values.at(form.inputs[2]);
  while (operands.a.size() < kMostResults) {
    const std::uint64_t a = first[random() % first.size()];
    const std::uint64_t b = second[random() % second.size()];
    add(a, b, third[random() % third.size()]);
  }
  return operands;
}

unsigned bits_of(const std::string& type) {
  return type == "f64" ? 64 : type == "f32" ? 32 : 16;
}

/// How many numbers of the type lie between two of them.
std::uint64_t distance(std::uint64_t x, std::uint64_t y, unsigned bits) {
  const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
  const auto order = [&](std::uint64_t v) { return static_cast<std::int64_t>(v < sign ? v : sign - v); };
  const std::int64_t d = order(x) - order(y);
  return static_cast<std::uint64_t>(d < 0 ? -d : d);
}

struct Difference {
  Form form;
  std::size_t count = 0, of = 0, first = 0;
  std::uint64_t wanted = 0, got = 0, largest_ulp = 0;
};

class Truth : public WithContext {
 protected:
  static std::vector<Difference> compare() {
    const auto values = read_inputs();
    const auto record = read_record();
    std::vector<Difference> differences;
    std::ifstream in(folder() / "operations.ptx");
    const abi::Module module = load({std::istreambuf_iterator<char>(in), {}});
    DeviceArray<std::uint64_t> a(kMostResults), b(kMostResults), c(kMostResults), out(kMostResults);
    for (const Form& form : read_forms()) {
      const Operands operands = operands_of(form, values);
      const Words& wanted = record.at(form.id);
      EXPECT_EQ(wanted.size(), operands.a.size()) << form.text;
      const auto give = [](const DeviceArray<std::uint64_t>& to, const Words& from) {
        EXPECT_OK(
            call("cuMemcpyHtoD_v2", to.pointer(), static_cast<const void*>(from.data()), from.size() * 8));
      };
      give(a, operands.a);
      give(b, operands.b);
      give(c, operands.c);
      auto count = static_cast<std::uint32_t>(operands.a.size());
      const abi::Function function = function_of(module, ("op_" + std::to_string(form.id)).c_str());
      EXPECT_OK(launch(function, {{(count + 127) / 128, 1, 1}, {128, 1, 1}},
                       {a.argument(), b.argument(), c.argument(), out.argument(), &count}));
      EXPECT_OK(call("cuCtxSynchronize"));
      const Words got = out.read();
      Difference found{.form = form, .of = wanted.size()};
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] == got[i]) continue;
        if (found.count++ == 0) {
          found.first = i;
          found.wanted = wanted[i];
          found.got = got[i];
        }
        if (form.result[0] != 'f' && form.result[0] != 'b') continue;
        found.largest_ulp = std::max(found.largest_ulp, distance(wanted[i], got[i], bits_of(form.result)));
      }
      if (found.count != 0) differences.push_back(found);
    }
    return differences;
  }
};

/// What each approximate form may be off, in units of the last place.
std::map<std::string, std::uint64_t> read_bounds() {
  std::map<std::string, std::uint64_t> bounds;
  std::ifstream in(folder() / "approximate.txt");
  std::string text;
  for (std::uint64_t bound = 0; in >> text >> bound;) bounds[text] = bound;
  return bounds;
}

TEST_F(Truth, OnlyApproximateFormsDifferAndNoMoreThanRecorded) {
  if (read_record().empty()) GTEST_SKIP() << "xz is needed to read the record";
  const auto bounds = read_bounds();
  const std::size_t forms = read_forms().size();
  ASSERT_EQ(forms, 648u);
  const std::vector<Difference> differences = compare();
  for (const Difference& each : differences) {
    std::printf("%-28s %6zu of %6zu differ, first at %zu: H200 %" PRIx64 ", here %" PRIx64
                ", at most %" PRIu64 " ulp\n",
                each.form.text.c_str(), each.count, each.of, each.first, each.wanted, each.got,
                each.largest_ulp);
    EXPECT_TRUE(each.form.is_approximate()) << each.form.text;
    if (!each.form.is_approximate()) continue;
    const auto bound = bounds.find(each.form.text);
    EXPECT_LE(each.largest_ulp, bound == bounds.end() ? 0 : bound->second) << each.form.text;
  }
  std::printf("%zu of %zu forms as an H200 has them, %zu differ\n", forms - differences.size(), forms,
              differences.size());
}

}  // namespace
}  // namespace tare::conformance
