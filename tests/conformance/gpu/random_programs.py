#!/usr/bin/env python3
"""Writes random PTX programs as record.cpp and the tests run them: straight-line arithmetic of every width, branches
and loops that threads take differently, barriers, shuffles, votes, calls, local and shared memory, jumps through tables.

    random_programs.py FIRST-SEED COUNT [STATEMENTS] > random.ptx

STATEMENTS keeps the first of the outermost ones only, which finds the one that a difference comes from.
A program is its seed's alone. Whatever PTX leaves open is kept out: divisors are odd, shuffles happen where all threads
of the warp are, what threads share is read behind a barrier, and of atomics only the sum at the end.
"""
import random
import sys

THREADS = 64
WORDS = 6  # each thread writes: its registers folded into these


class Program:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.name = f"random_{seed}"
        self.lines = []
        self.labels = 0
        self.depth = 0
        self.counters = 0
        self.tables = 0
        self.ends = [0]  # of the outermost statements, in self.lines

    # Registers, by what they hold. Any of them may be written anywhere.
    def u32(self): return f"%a{self.rng.randrange(6)}"
    def u64(self): return f"%d{self.rng.randrange(4)}"
    def u16(self): return f"%h{self.rng.randrange(3)}"
    def f32(self): return f"%f{self.rng.randrange(4)}"
    def f64(self): return f"%g{self.rng.randrange(3)}"
    def pred(self): return f"%p{self.rng.randrange(4)}"

    def pick(self, *these): return self.rng.choice(these)

    def in32(self):
        return self.u32() if self.rng.random() < 0.8 else str(self.pick(
            0, 1, -1, 2, 31, 32, 255, 0x7fffffff, -0x80000000, self.rng.randrange(-1000, 1000)))

    def place(self): return self.u32() if self.rng.random() < 0.8 else str(self.pick(0, 1, 5, 31, 32, 64, 200, 255))

    def in64(self):
        return self.u64() if self.rng.random() < 0.85 else str(self.pick(0, 1, -1, 63, 64, 0x7fffffffffffffff))

    def inf32(self):
        return self.f32() if self.rng.random() < 0.8 else self.pick(
            "0f3f800000", "0fbf800000", "0f00000000", "0f80000000", "0f7f800000", "0f00000001", "0f4b800000", "0f3eaaaaab")

    def inf64(self):
        return self.f64() if self.rng.random() < 0.85 else self.pick(
            "0d3ff0000000000000", "0dc000000000000000", "0d0000000000000000", "0d3fd5555555555555", "0d0000000000000001")

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def emit(self, text): self.lines.append("  " * (1 + self.depth) + text)

    def guard(self):
        if self.rng.random() < 0.85: return ""
        return f"@{self.pick('', '!')}{self.pred()} "

    def compare(self):
        kind = self.rng.randrange(7)
        p = self.pred()
        if kind < 3:
            type_ = self.pick("u32", "s32", "b32")
            relation = self.pick("eq", "ne") if type_ == "b32" else self.pick("eq", "ne", "lt", "le", "gt", "ge")
            if self.rng.random() < 0.3:
                q = self.pick(*(x for x in ("%p0", "%p1", "%p2", "%p3") if x != p))
                self.emit(f"setp.{relation}.{self.pick('and', 'or', 'xor')}.{type_} {p}|{q}, {self.u32()}, {self.in32()}, "
                          f"{self.pick('', '!')}{self.pred()};")
            else:
                self.emit(f"setp.{relation}.{type_} {p}, {self.u32()}, {self.in32()};")
        elif kind == 3:
            self.emit(f"setp.{self.pick('eq', 'ne', 'lt', 'gt', 'ltu', 'geu', 'num', 'nan')}.f32 {p}, {self.f32()}, {self.inf32()};")
        elif kind == 6:  # never guarded, see docs/assembler-faults.md
            self.emit(f"testp.{self.pick('finite', 'infinite', 'number', 'notanumber', 'normal', 'subnormal')}.f32 {p}, {self.f32()};")
        elif kind == 4:
            self.emit(f"setp.{self.pick('lt', 'ge', 'eq')}.{self.pick('u64', 's64')} {p}, {self.u64()}, {self.in64()};")
        else:
            self.emit(f"setp.{self.pick('lt', 'ge')}.{self.pick('u16', 's16')} {p}, {self.u16()}, {self.u16()};")

    def integer(self):
        g, d = self.guard(), self.u32()
        a, b, c = self.u32(), self.in32(), self.in32()
        sign = self.pick("u32", "s32")
        forms = [
            f"add.{sign} {d}, {a}, {b};", f"sub.{sign} {d}, {a}, {b};", f"mul.lo.{sign} {d}, {a}, {b};",
            f"mul.hi.{sign} {d}, {a}, {b};", f"mad.lo.{sign} {d}, {a}, {b}, {c};", f"mad.hi.{sign} {d}, {a}, {b}, {c};",
            f"add.sat.s32 {d}, {a}, {b};", f"sub.sat.s32 {d}, {a}, {b};", f"mad.hi.sat.s32 {d}, {a}, {b}, {c};",
            f"mul24.lo.{sign} {d}, {a}, {b};", f"mad24.hi.{sign} {d}, {a}, {b}, {c};",
            f"{self.pick('and', 'or', 'xor')}.b32 {d}, {a}, {b};", f"not.b32 {d}, {a};", f"cnot.b32 {d}, {a};",
            f"shl.b32 {d}, {a}, {b};", f"shr.{self.pick('u32', 's32', 'b32')} {d}, {a}, {b};",
            f"{self.pick('min', 'max')}.{sign} {d}, {a}, {b};", f"abs.s32 {d}, {a};", f"neg.s32 {d}, {a};",
            f"popc.b32 {d}, {a};", f"clz.b32 {d}, {a};", f"brev.b32 {d}, {a};",
            f"bfind{self.pick('', '.shiftamt')}.{sign} {d}, {a};", f"bfe.{sign} {d}, {a}, {self.place()}, {self.place()};",
            f"bfi.b32 {d}, {a}, {b}, {self.place()}, {self.place()};", f"sad.{sign} {d}, {a}, {b}, {c};",
            f"prmt.b32{self.pick('', '.f4e', '.b4e', '.rc8', '.ecl', '.ecr', '.rc16')} {d}, {a}, {b}, {c};",
            f"lop3.b32 {d}, {a}, {b}, {c}, {self.rng.randrange(256)};",
            f"shf.{self.pick('l', 'r')}.{self.pick('wrap', 'clamp')}.b32 {d}, {a}, {b}, {c};",
            f"dp4a.{sign}.{self.pick('u32', 's32')} {d}, {a}, {b}, {c};",
            f"dp2a.{self.pick('lo', 'hi')}.{sign}.{self.pick('u32', 's32')} {d}, {a}, {b}, {c};",
            f"bmsk.{self.pick('clamp', 'wrap')}.b32 {d}, {a}, {b};", f"szext.{self.pick('clamp', 'wrap')}.{sign} {d}, {a}, {b};",
            f"selp.b32 {d}, {a}, {b}, {self.pred()};", f"slct.u32.s32 {d}, {a}, {b}, {c};",
            f"set.{self.pick('lt', 'ge', 'eq')}.u32.s32 {d}, {a}, {b};",
            f"{{ .reg .u32 %odd; or.b32 %odd, {a}, 1; {self.pick('div', 'rem')}.u32 {d}, {self.u32()}, %odd; }}",
            f"{{ .reg .s32 %odd; or.b32 %odd, {a}, 5; max.s32 %odd, %odd, 1; {self.pick('div', 'rem')}.s32 {d}, {self.u32()}, %odd; }}",
            f"{{ add.cc.u32 {d}, {a}, {b}; addc.cc.u32 {self.u32()}, {self.u32()}, {c}; addc.u32 {self.u32()}, {self.u32()}, 0; }}",
            f"{{ sub.cc.u32 {d}, {a}, {b}; subc.u32 {self.u32()}, {self.u32()}, {c}; }}",
            f"{{ mad.lo.cc.u32 {d}, {a}, {b}, {c}; madc.hi.u32 {self.u32()}, {a}, {b}, {c}; }}",
        ]
        form = self.rng.choice(forms)
        self.emit(form if form.startswith("{") else g + form)

    def wide(self):
        g, d, a, b = self.guard(), self.u64(), self.u64(), self.in64()
        sign = self.pick("u64", "s64")
        forms = [
            f"add.{sign} {d}, {a}, {b};", f"sub.{sign} {d}, {a}, {b};", f"mul.lo.{sign} {d}, {a}, {b};",
            f"mul.hi.{sign} {d}, {a}, {b};", f"mad.lo.{sign} {d}, {a}, {b}, {self.u64()};",
            f"mul.wide.{self.pick('u32', 's32')} {d}, {self.u32()}, {self.in32()};",
            f"mad.wide.{self.pick('u32', 's32')} {d}, {self.u32()}, {self.in32()}, {self.u64()};",
            f"{self.pick('and', 'or', 'xor')}.b64 {d}, {a}, {b};", f"shl.b64 {d}, {a}, {self.in32()};",
            f"shr.{self.pick('u64', 's64')} {d}, {a}, {self.in32()};", f"{self.pick('min', 'max')}.{sign} {d}, {a}, {b};",
            f"brev.b64 {d}, {a};", f"bfe.{sign} {d}, {a}, {self.place()}, {self.place()};",
            f"bfi.b64 {d}, {a}, {b}, {self.place()}, {self.place()};", f"selp.b64 {d}, {a}, {b}, {self.pred()};",
            f"mov.b64 {d}, {{{self.u32()}, {self.u32()}}};", f"mov.b64 {{{self.u32()}, {self.u32()}}}, {a};".replace("%a0}", "%a1}"),
            f"popc.b64 {self.u32()}, {a};", f"clz.b64 {self.u32()}, {a};",
            f"{{ .reg .u64 %odd; or.b64 %odd, {a}, 1; {self.pick('div', 'rem')}.u64 {d}, {self.u64()}, %odd; }}",
            f"{{ add.cc.u64 {d}, {a}, {b}; addc.u64 {self.u64()}, {self.u64()}, 0; }}",
        ]
        form = self.rng.choice(forms)
        if form.startswith("mov.b64 {"):  # two different registers
            i = self.rng.randrange(6)
            form = f"mov.b64 {{%a{i}, %a{(i + 1 + self.rng.randrange(5)) % 6}}}, {a};"
        self.emit(form if form.startswith("{") else g + form)

    def narrow(self):
        g, d = self.guard(), self.u16()
        sign = self.pick("u16", "s16")
        self.emit(g + self.pick(
            f"add.{sign} {d}, {self.u16()}, {self.u16()};", f"mul.lo.{sign} {d}, {self.u16()}, {self.u16()};",
            f"mul.hi.{sign} {d}, {self.u16()}, {self.u16()};", f"{self.pick('min', 'max')}.{sign} {d}, {self.u16()}, {self.u16()};",
            f"shr.{sign} {d}, {self.u16()}, {self.place()};", f"shl.b16 {d}, {self.u16()}, {self.place()};",
            f"mul.wide.{sign} {self.u32()}, {self.u16()}, {self.u16()};", f"xor.b16 {d}, {self.u16()}, {self.u16()};",
            f"sub.{sign} {d}, {self.u16()}, {self.u16()};", f"neg.s16 {d}, {self.u16()};"))

    def floating(self):
        g, d, a, b, c = self.guard(), self.f32(), self.f32(), self.inf32(), self.inf32()
        rounding = self.pick("rn", "rz", "rm", "rp")
        ftz = self.pick("", "", ".ftz")
        sat = self.pick("", "", "", ".sat")
        self.emit(g + self.pick(
            f"add.{rounding}{ftz}{sat}.f32 {d}, {a}, {b};", f"sub.{rounding}{ftz}{sat}.f32 {d}, {a}, {b};",
            f"mul.{rounding}{ftz}{sat}.f32 {d}, {a}, {b};", f"fma.{rounding}{ftz}{sat}.f32 {d}, {a}, {b}, {c};",
            f"div.{rounding}{ftz}.f32 {d}, {a}, {b};", f"sqrt.{rounding}{ftz}.f32 {d}, {a};", f"rcp.{rounding}{ftz}.f32 {d}, {a};",
            f"{self.pick('min', 'max')}{ftz}{self.pick('', '.NaN', '.xorsign.abs')}.f32 {d}, {a}, {b};",
            f"abs{ftz}.f32 {d}, {a};", f"neg{ftz}.f32 {d}, {a};", f"copysign.f32 {d}, {a}, {b};",
            f"selp.f32 {d}, {a}, {b}, {self.pred()};", f"slct.f32.s32 {d}, {a}, {b}, {self.u32()};"))

    def double(self):
        g, d, a, b = self.guard(), self.f64(), self.f64(), self.inf64()
        rounding = self.pick("rn", "rz", "rm", "rp")
        self.emit(g + self.pick(
            f"add.{rounding}.f64 {d}, {a}, {b};", f"mul.{rounding}.f64 {d}, {a}, {b};",
            f"fma.{rounding}.f64 {d}, {a}, {b}, {self.f64()};", f"div.{rounding}.f64 {d}, {a}, {b};",
            f"sqrt.{rounding}.f64 {d}, {a};", f"{self.pick('min', 'max')}.f64 {d}, {a}, {b};", f"neg.f64 {d}, {a};",
            f"sub.{rounding}.f64 {d}, {a}, {b};"))

    def convert(self):
        g = self.guard()
        to_int = self.pick("rni", "rzi", "rmi", "rpi")
        rounding = self.pick("rn", "rz", "rm", "rp")
        self.emit(g + self.pick(
            f"cvt.{to_int}{self.pick('', '.ftz')}.{self.pick('u32', 's32')}.f32 {self.u32()}, {self.f32()};",
            f"cvt.{to_int}.{self.pick('u64', 's64')}.f32 {self.u64()}, {self.f32()};",
            f"cvt.{to_int}.{self.pick('u32', 's32')}.f64 {self.u32()}, {self.f64()};",
            f"cvt.{to_int}.{self.pick('u64', 's64')}.f64 {self.u64()}, {self.f64()};",
            f"cvt.{to_int}.f32.f32 {self.f32()}, {self.f32()};", f"cvt.{to_int}.f64.f64 {self.f64()}, {self.f64()};",
            f"cvt.{rounding}.f32.{self.pick('u32', 's32')} {self.f32()}, {self.u32()};",
            f"cvt.{rounding}.f32.{self.pick('u64', 's64')} {self.f32()}, {self.u64()};",
            f"cvt.{rounding}.f64.{self.pick('u64', 's64')} {self.f64()}, {self.u64()};",
            f"cvt.{rounding}.f64.{self.pick('u32', 's32')} {self.f64()}, {self.u32()};",
            f"cvt.{rounding}{self.pick('', '.sat')}.f32.f64 {self.f32()}, {self.f64()};", f"cvt.f64.f32 {self.f64()}, {self.f32()};",
            f"cvt.{self.pick('u64.u32', 's64.s32')} {self.u64()}, {self.u32()};", f"cvt.u32.u64 {self.u32()}, {self.u64()};",
            f"cvt.{self.pick('u32.u8', 's32.s8', 'u32.u16', 's32.s16')} {self.u32()}, {self.u32()};",
            f"cvt.sat.{self.pick('u8.s32', 's8.s32', 'u16.s32', 's16.u32', 's8.u32')} {self.u32()}, {self.u32()};",
            f"cvt.u16.u32 {self.u16()}, {self.u32()};", f"cvt.{self.pick('u32.u16', 's32.s16')} {self.u32()}, {self.u16()};",
            f"mov.b32 {self.f32()}, {self.u32()};", f"mov.b32 {self.u32()}, {self.f32()};",
            f"mov.b64 {self.f64()}, {self.u64()};", f"mov.b64 {self.u64()}, {self.f64()};",
            f"mov.b32 {self.u32()}, {{{self.u16()}, {self.u16()}}};", f"cvt.rn.f16.f32 {self.u16()}, {self.f32()};",
            f"cvt.f32.f16 {self.f32()}, {self.u16()};"))

    def local(self):
        """An own array of 16 words, at a place that only the run knows."""
        kind = self.rng.randrange(4)
        self.emit(f"{{ .reg .b32 %i; .reg .b64 %w, %base; and.b32 %i, {self.u32()}, 15; mov.u64 %base, own;")
        width, scale, register = [("u8", 4, self.u32()), ("u16", 4, self.u32()), ("u32", 4, self.u32()), ("u64", 8, self.u64())][kind]
        if scale == 8: self.emit("  and.b32 %i, %i, 7;")
        self.emit(f"  mul.wide.u32 %w, %i, {scale}; add.u64 %base, %base, %w;")
        if self.rng.random() < 0.5:
            self.emit(f"  st.local.{width} [%base], {register};")
        else:
            signed = self.pick(width, width.replace("u", "s"))
            self.emit(f"  ld.local.{signed} {register}, [%base];")
        self.emit("}")

    def call(self):
        self.emit(f"{{ .param .b32 give, take, other; st.param.b32 [give], {self.u32()}; st.param.b32 [other], {self.u32()};")
        self.emit(f"  call (take), {self.name}_{self.pick('mix', 'walk')}, (give, other); ld.param.b32 {self.u32()}, [take]; }}")

    def exchange(self):
        """Through shared memory, where the whole block is."""
        self.emit(f"{{ .reg .b32 %to, %from; shl.b32 %to, %t, 2; mov.u32 %from, {self.name}_shared; add.u32 %to, %to, %from; st.shared.u32 [%to], {self.u32()}; bar.sync 0;")
        self.emit(f"  add.u32 %from, %t, {self.rng.randrange(THREADS)}; {self.pick('xor.b32 %from, %from, 21;', '')} and.b32 %from, %from, {THREADS - 1};")
        self.emit(f"  shl.b32 %from, %from, 2; mov.u32 %to, {self.name}_shared; add.u32 %from, %from, %to; ld.shared.u32 {self.u32()}, [%from]; bar.sync 0; }}")

    def warp(self):
        """Where the whole warp is."""
        full = "0xffffffff"
        width = self.pick(8191, 31, 31, 6175, 7199) & 0x1f1f | 0x1f
        self.emit(self.pick(
            f"shfl.sync.{self.pick('bfly', 'idx', 'down')}.b32 {self.u32()}|{self.pred()}, {self.u32()}, {self.in32()}, {width}, {full};",
            f"shfl.sync.up.b32 {self.u32()}|{self.pred()}, {self.u32()}, {self.in32()}, {width & 0x1f00}, {full};",
            f"vote.sync.{self.pick('any', 'all', 'uni')}.pred {self.pred()}, {self.pick('', '!')}{self.pred()}, {full};",
            f"vote.sync.ballot.b32 {self.u32()}, {self.pred()}, {full};",
            f"match.any.sync.b32 {self.u32()}, {self.u32()}, {full};",
            f"redux.sync.{self.pick('add', 'min', 'max')}.{self.pick('u32', 's32')} {self.u32()}, {self.u32()}, {full};",
            f"redux.sync.{self.pick('and', 'or', 'xor')}.b32 {self.u32()}, {self.u32()}, {full};",
            f"bar.warp.sync {full};"))

    def atomic(self):
        self.emit(f"red.shared.add.u32 [{self.name}_sums+{4 * self.rng.randrange(4)}], {self.in32()};")

    def branch(self, together):
        other, end = self.label(), self.label()
        self.compare()
        self.emit(f"@{self.pick('', '!')}{self.pred()} bra {other};")
        self.depth += 1
        self.body(self.rng.randrange(1, 5), False)
        self.depth -= 1
        if self.rng.random() < 0.6:
            self.emit(f"bra {end};")
            self.emit(f"{other}:")
            self.depth += 1
            self.body(self.rng.randrange(1, 5), False)
            self.depth -= 1
        else:
            self.emit(f"{other}:")
        self.emit(f"{end}:")
        if together: self.emit("bar.warp.sync 0xffffffff;")

    def loop(self, together):
        """Together: the same number of rounds for all, so barriers may be in it."""
        self.counters += 1
        n, top, out = self.counters, self.label(), self.label()
        self.emit(f"mov.u32 %n{n}, {self.rng.randrange(1, 5)};" if together else f"and.b32 %n{n}, {self.u32()}, 7;")
        self.emit(f"{top}:")
        self.depth += 1
        if not together:
            self.emit(f"setp.eq.u32 %q{n}, %n{n}, 0;")
            self.emit(f"@%q{n} bra {out};")
        self.body(self.rng.randrange(1, 5), together)
        if not together and self.rng.random() < 0.4:
            self.compare()
            self.emit(f"@{self.pred()} bra {out};")
        self.emit(f"sub.u32 %n{n}, %n{n}, 1;")
        self.emit(f"setp.ne.u32 %q{n}, %n{n}, 0;")
        self.emit(f"@%q{n} bra {top};")
        self.depth -= 1
        self.emit(f"{out}:")

    def table(self, together):
        ends, end = [self.label() for _ in range(4)], self.label()
        self.tables += 1
        self.emit(f"{{ .reg .b32 %i; and.b32 %i, {self.u32()}, 3; T{self.tables}: .branchtargets {', '.join(ends)}; brx.idx %i, T{self.tables}; }}")
        for each in ends:
            self.emit(f"{each}:")
            self.depth += 1
            self.body(self.rng.randrange(0, 3), False)
            self.depth -= 1
            if self.rng.random() < 0.7: self.emit(f"bra {end};")
        self.emit(f"{end}:")
        if together: self.emit("bar.warp.sync 0xffffffff;")

    def body(self, count, together):
        for _ in range(count):
            roll = self.rng.random()
            if self.depth < 4 and roll < 0.07: self.branch(together)
            elif self.depth < 3 and roll < 0.11: self.loop(together and self.rng.random() < 0.5)
            elif self.depth < 3 and roll < 0.13: self.table(together)
            elif together and roll < 0.19: self.exchange()
            elif together and roll < 0.27:
                self.emit("bar.warp.sync 0xffffffff;")
                self.warp()
            elif roll < 0.31: self.local()
            elif roll < 0.34: self.call()
            elif roll < 0.36: self.atomic()
            elif roll < 0.62: self.integer()
            elif roll < 0.70: self.wide()
            elif roll < 0.74: self.narrow()
            elif roll < 0.83: self.floating()
            elif roll < 0.87: self.double()
            elif roll < 0.95: self.convert()
            else: self.compare()
            if self.depth == 0: self.ends.append(len(self.lines))

    def functions(self):
        """mix: arithmetic; walk: a loop whose rounds the argument decides."""
        r = self.rng
        mix = "\n".join(f"  {r.choice(['add.u32', 'xor.b32', 'mul.lo.u32', 'sub.u32', 'or.b32', 'shf.l.wrap.b32'])} %x, %x, "
                        + r.choice(["%y", str(r.randrange(1, 1 << 31))]) + ";" for _ in range(r.randrange(2, 7)))
        mix = "\n".join(line.replace(";", ", %y;") if "shf" in line else line for line in mix.split("\n"))
        head = ".func (.param .b32 back) {0}(.param .b32 one, .param .b32 two) {{\n  .reg .b32 %x, %y, %n; .reg .pred %p;\n" \
               "  ld.param.b32 %x, [one]; ld.param.b32 %y, [two];\n"
        tail = "  st.param.b32 [back], %x; ret;\n}}\n"
        walk = f"  and.b32 %n, %y, 7;\nagain:\n  setp.eq.u32 %p, %n, 0; @%p bra done;\n  mad.lo.u32 %x, %x, {r.randrange(3, 1 << 20) | 1}, %n;\n" \
               "  shr.u32 %y, %y, 1; xor.b32 %x, %x, %y; sub.u32 %n, %n, 1; bra again;\ndone:\n"
        return (head.format(self.name + "_mix") + mix + "\n" + tail.format() +
                head.format(self.name + "_walk") + walk + tail.format())

    def text(self, statements=None):
        functions = self.functions()
        self.body(self.rng.randrange(20, 45), True)
        out = [f"//! run {self.name} grid 2 block {THREADS} out {2 * THREADS * WORDS}",
               f".shared .align 8 .b32 {self.name}_shared[{THREADS}];", f".shared .align 8 .b32 {self.name}_sums[4];", functions,
               f".visible .entry {self.name}(.param .u64 in, .param .u64 to) {{",
               "  .local .align 8 .b32 own[16];",
               "  .reg .b32 %a<6>, %t, %at, %at2, %x, %n<%NN>; .reg .b64 %d<4>, %in, %to, %w; .reg .b16 %h<3>; .reg .f32 %f<4>;",
               "  .reg .f64 %g<3>; .reg .pred %p<4>, %q<%NN>;",
               "  mov.u32 %t, %tid.x; mov.u32 %at, %ctaid.x; mad.lo.u32 %at, %at, 64, %t;",
               "  ld.param.u64 %in, [in]; ld.param.u64 %to, [to]; mul.wide.u32 %w, %at, 128; and.b64 %w, %w, 16383; add.u64 %in, %in, %w;"]
        for i in range(6): out.append(f"  ld.global.u32 %a{i}, [%in+{4 * i}];")
        out.append("  mov.u32 %a1, %at; and.b32 %a2, %a2, 63;")
        for i in range(4): out.append(f"  ld.global.u64 %d{i}, [%in+{24 + 8 * i}];")
        for i in range(3): out.append(f"  ld.global.u16 %h{i}, [%in+{56 + 2 * i}];")
        for i in range(4): out.append(f"  ld.global.f32 %f{i}, [%in+{64 + 4 * i}];")
        out.append("  cvt.rn.f32.s32 %f1, %a1; mul.rn.f32 %f2, %f1, 0f3eaaaaab;")
        for i in range(3): out.append(f"  ld.global.f64 %g{i}, [%in+{80 + 8 * i}];")
        out.append("  cvt.rn.f64.u32 %g1, %a2; mov.b32 %x, %a0;")
        for i in range(4): out.append(f"  setp.gt.u32 %p{i}, %a{i}, {self.rng.choice([7, 31, 1 << 31, 40])};")
        for i in range(16): out.append(f"  mad.lo.u32 %x, %x, 1664525, {i}; st.local.u32 [own+{4 * i}], %x;")
        out.append(f"  setp.lt.u32 %p0, %t, 4; mov.u32 %at2, {self.name}_sums; shl.b32 %x, %t, 2; add.u32 %x, %x, %at2; @%p0 st.shared.u32 [%x], 0; bar.sync 0;")
        out += self.lines if statements is None else self.lines[:self.ends[min(statements, len(self.ends) - 1)]]
        # What is left in the registers, folded.
        out.append("  bar.sync 0;")
        out.append(f"  {{ .reg .b32 %r<{WORDS}>, %lo, %hi, %b; .reg .b64 %v;")
        for i in range(WORDS): out.append(f"  mov.b32 %r{i}, %a{i};")
        fold = 0

        def into(register):
            nonlocal fold
            out.append(f"  shf.l.wrap.b32 %r{fold}, %r{fold}, %r{fold}, 5; xor.b32 %r{fold}, %r{fold}, {register};")
            fold = (fold + 1) % WORDS
        for i in range(4):
            out.append(f"  mov.b64 {{%lo, %hi}}, %d{i};"); into("%lo"); into("%hi")
        for i in range(3):
            out.append(f"  mov.b64 %v, %g{i}; mov.b64 {{%lo, %hi}}, %v;"); into("%lo"); into("%hi")
        for i in range(4):
            out.append(f"  mov.b32 %b, %f{i};"); into("%b")
        for i in range(3):
            out.append(f"  cvt.u32.u16 %b, %h{i};"); into("%b")
        for i in range(4):
            out.append(f"  selp.b32 %b, {1 << i}, 0, %p{i};"); into("%b")
        for i in range(16):
            out.append(f"  ld.local.u32 %b, [own+{4 * i}];"); into("%b")
        for i in range(4):
            out.append(f"  ld.shared.u32 %b, [{self.name}_sums+{4 * i}];"); into("%b")
        out.append(f"  mul.wide.u32 %w, %at, {4 * WORDS}; add.u64 %to, %to, %w;")
        for i in range(WORDS): out.append(f"  st.global.u32 [%to+{4 * i}], %r{i};")
        out.append("  }\n  ret;\n}\n")
        return "\n".join(out).replace("%NN", str(self.counters + 1))


def main():
    first, count, *statements = map(int, sys.argv[1:])
    print(".version 8.3\n.target sm_90\n.address_size 64\n")
    for seed in range(first, first + count):
        print(Program(seed).text(*statements))


if __name__ == "__main__":
    main()
