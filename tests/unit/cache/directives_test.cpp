// Finding every directive that can make a compile read a file, and nothing in comments and strings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cache/include_scan.hpp"
#include "cache/opened_files.hpp"

namespace tare::detail {
namespace {

std::vector<std::string> names(std::string_view text) {
  std::vector<std::string> found;
  for (const Directive& d : read_directives(text).includes)
    found.push_back(d.quoted ? '"' + d.name + '"' : '<' + d.name + '>');
  return found;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Directives, BothFormsInOrder) {
  EXPECT_THAT(names("#include <a.h>\nint x;\n  #  include \"b/c.h\" // why\n"),
              ElementsAre("<a.h>", "\"b/c.h\""));
}

TEST(Directives, InactiveBranchesCountToo) {
  EXPECT_THAT(names("#if 0\n#include <a.h>\n#else\n#include <b.h>\n#endif\n"), ElementsAre("<a.h>", "<b.h>"));
}

TEST(Directives, CommentsAndLiteralsAreNotDirectives) {
  EXPECT_THAT(names("// #include <a.h>\n/*\n#include <b.h>\n*/\nconst char* s = \"\\\"\\\n#include <c.h>\";\n"
                    "const char* r = R\"x(\n#include <d.h>\n)\" )x\"; char q = '\"';\n#include <e.h>\n"),
              ElementsAre("<e.h>"));
}

TEST(Directives, ADigitSeparatorOpensNoLiteral) {
  EXPECT_THAT(names("int n = 1'000'000;\n#include <a.h>\n"), ElementsAre("<a.h>"));
}

TEST(Directives, SplicedLinesCommentsInsideAndDigraphsAreUnderstood) {
  EXPECT_THAT(
      names("#inc\\\nlude <a.h>\n# /* x */ include /* y */ <b.h>\n%:include <c.h>\n/* z */ #include <d.h>\n"),
      ElementsAre("<a.h>", "<b.h>", "<c.h>", "<d.h>"));
}

TEST(Directives, HasIncludeLooksForAFileToo) {
  EXPECT_THAT(
      names("#if defined(__has_include) && __has_include(<a.h>) || __has_include( \"b.h\" )\n#endif\n"),
      ElementsAre("<a.h>", "\"b.h\""));
}

TEST(Directives, WhatCannotBeToldIsSaid) {
  EXPECT_EQ(read_directives("#define H <a.h>\n#include H\n").unknowable, "#include of a macro");
  EXPECT_EQ(read_directives("#include_next <a.h>\n").unknowable, "#include_next");
  EXPECT_EQ(read_directives("#if __has_include(H)\n#endif\n").unknowable, "__has_include of a macro");
  EXPECT_EQ(read_directives("#include <a.h>\n").unknowable, "");
}

TEST(Directives, ASourceWithoutAnyHasNone) {
  EXPECT_THAT(names("extern \"C\" __global__ void k(float* include) { include[0] = 1; }"), IsEmpty());
}

TEST(MakeRules, PathsAreUnescaped) {
  EXPECT_THAT(rule_prerequisites("image : kernel.cu \\\n    /a/with\\ space.h \\\n /b/$$x.h\n"),
              ElementsAre("kernel.cu", "/a/with space.h", "/b/$x.h"));
  EXPECT_THAT(rule_prerequisites("nonsense"), IsEmpty());
}

}  // namespace
}  // namespace tare::detail
