// What the text of a kernel shows of the use of a buffer.
#include "compare/case/buffer_use.hpp"

#include <gtest/gtest.h>

namespace tare::compare {
namespace {

BufferUse use(const char* body) {
  return use_of_buffer(body, "y");
}

TEST(BufferUse, IsOnlyWrittenWhereEveryOccurrenceIsAPlainTarget) {
  for (const char* body :
       {"y[i] = x[i];", "y[i].x = 1; y[i].w = 2;", "*y = 1;", "if (i < n) { *(y + i) = 1; }",
        "reinterpret_cast<float4*>(y)[i] = v;", "*reinterpret_cast<float4*>(&y[i]) = v;", "__stcs(&y[i], 1);",
        "__stcg(y + i, 1);", "// y[i] + y[i]\ny[i] = 1;", "else *y = 1;"})
    EXPECT_EQ(use(body), BufferUse::only_written) << body;
}

TEST(BufferUse, IsReadWhereAnElementIsAnOperand) {
  for (const char* body :
       {"y[i] = a * x[i] + y[i];", "y[i] += 1;", "y[i] <<= 1;", "++y[i];", "y[i]--;", "y[i] = y[i + 1];",
        "if (y[i] == 0) y[i] = 1;", "y[i] ^= 3;", "float4 v = reinterpret_cast<float4*>(y)[i]; y[i] = v.x;",
        "*y = 1 + *y;", "y[i] = __ldg(&y[j]);", "y[y[0]] = 1; int k = y[0];"})
    EXPECT_EQ(use(body), BufferUse::read_too) << body;
}

TEST(BufferUse, IsNotKnownWhereItsAddressIsHandedOn) {
  for (const char* body : {"helper(y, i);", "float* p = y + i; p[0] = 1;", "swap(&y[i], &y[j]);",
                           "if (y) y[0] = 1;", "auto& e = y; e[0] = 1;"})
    EXPECT_EQ(use(body), BufferUse::handed_on) << body;
}

TEST(BufferUse, OfAtomicsAccumulates) {
  for (const char* body :
       {"atomicAdd(&y[x[i]], 1);", "atomicAdd(y + b, 1u);", "atomicMax(y, v);", "atomicAdd(&(y[b]), 1);"})
    EXPECT_EQ(use(body), BufferUse::accumulated) << body;
  EXPECT_EQ(use("atomicAdd(&y[0], 1); z = y[1];"), BufferUse::read_too);
}

TEST(BufferUse, IsOnlyReadWhereItIsNoTarget) {
  EXPECT_EQ(use("z[i] = x[i] + y[i];"), BufferUse::only_read);
  EXPECT_EQ(use("z[i] = __ldg(y + i);"), BufferUse::only_read);
}

TEST(BufferUse, OfAnotherNameIsNotMixedUp) {
  EXPECT_EQ(use("yy[i] = p.y + q->y; // y\n"), BufferUse::unseen);
}

}  // namespace
}  // namespace tare::compare
