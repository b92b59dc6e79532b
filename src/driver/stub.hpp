// Functions of any driver signature that do nothing but answer one fixed code: what stands in the table for a
// function that is missing, not yet loaded, or refused after a fork.
#pragma once

#include "driver/abi.hpp"

namespace tare::detail {

template <cu::Result kResult, class Pointer>
struct Answer;

template <cu::Result kResult, class... Parameters>
struct Answer<kResult, cu::Result (*)(Parameters...)> {
  static cu::Result call(Parameters...) { return kResult; }
};

template <cu::Result kResult>
constexpr cu::Functions answering_always() {
  cu::Functions table{};
#define TARE_ANSWER(member, name, version, symbol, required, parameters) \
  table.member = Answer<kResult, decltype(table.member)>::call;
  TARE_CUDA_FUNCTIONS(TARE_ANSWER)
#undef TARE_ANSWER
  return table;
}

}  // namespace tare::detail
