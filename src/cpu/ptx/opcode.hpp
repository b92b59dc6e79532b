// The opcode table: every base opcode of the PTX ISA that the parser knows, with what may follow it.
// The table (opcode.cpp) drives the parser; a later pass asks only for the Op.
#pragma once
// clang-format off
#include <cstdint>
#include <string_view>

namespace tare::cpu::ptx {

/// Base opcodes of PTX ISA 9.0. An opcode that the code generator does not implement parses all the
/// same: the kernel that uses it is refused at launch, by name and line.
enum class Op : std::uint8_t {
  invalid,
  abs, activemask, add, addc, alloca_, and_, applypriority, atom, bar, barrier, bfe, bfi, bfind, bmsk, bra, brev,
  brkpt, brx, call, clz, cnot, copysign, cos, cp, createpolicy, cvt, cvta, discard, div, dp2a, dp4a,
  elect, ex2, exit, fence, fma, fns, getctarank, griddepcontrol, isspacep, istypep, ld, ldmatrix, ldu, lg2, lop3,
  mad, mad24, madc, mapa, match, max, mbarrier, membar, min, mma, mov, movmatrix, mul, mul24, multimem, nanosleep, neg, not_,
  or_, pmevent, popc, prefetch, prefetchu, prmt, rcp, red, redux, rem, ret, rsqrt, sad, selp, set, setmaxnreg,
  setp, shf, shfl, shl, shr, sin, slct, sqrt, st, stackrestore, stacksave, stmatrix, sub, subc, suld, sured, sust,
  suq, szext, tanh, tensormap, testp, tex, tld4, trap, txq, vabsdiff, vabsdiff2, vabsdiff4, vadd, vadd2, vadd4, vavrg2, vavrg4,
  vmad, vmax, vmax2, vmax4, vmin, vmin2, vmin4, vote, vset, vset2, vset4, vshl, vshr, vsub, vsub2, vsub4,
  wgmma, wmma, xor_, st_async, red_async, cp_reduce_async, tcgen05, clusterlaunchcontrol, other,
  yield_,  // no opcode of PTX: where a waiting loop lets others run (see analysis/spin.hpp)
};

/// The opcode whose first dot-separated word is `word` ("add"); Op::invalid where there is none.
Op find_opcode(std::string_view word);
/// "add" for Op::add.
std::string_view name_of(Op op);

}  // namespace tare::cpu::ptx
