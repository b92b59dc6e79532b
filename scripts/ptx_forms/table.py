"""The instruction forms that the sweep begins with: a line for each, `OPCODE SUFFIXES : OPERANDS`.

OPCODE and each suffix may be alternatives, `a/b`; `?a/b` may also be left out; `@name` is a type of the set. Of the
operands `$0` is a register of the first type, `$1` of the second; `$w` one of twice its width where .wide stands; `$v`
a vector as long as .v2 or its like says, of the first type; `$a` an address that suits the state space. What is not
documented is in here too, where two suffixes might go together: which do is what is asked.
"""

SETS = {
    "int": "u16 s16 u32 s32 u64 s64",
    "packed": "u16x2 s16x2",
    "word": "u32 s32",
    "wide_int": "u32 s32 u64 s64",
    "bits": "b16 b32 b64",
    "bool": "b16 b32 b64 pred",
    "real": "f32 f64",
    "half": "f16 f16x2 bf16 bf16x2",
    "float": "f32 f64 f16 f16x2 bf16 bf16x2 f32x2",
    "any": "u16 s16 u32 s32 u64 s64 b16 b32 b64 f16 f16x2 bf16 bf16x2 f32 f64",
    "memory": "b8 u8 s8 b16 u16 s16 b32 u32 s32 b64 u64 s64 f32 f64 b128 f16 f16x2 bf16",
    "converted": "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64 tf32",
    "narrow": "e4m3x2 e5m2x2 ue8m0x2 e2m1x2 e2m3x2 e3m2x2",
    "compare": "eq/ne/lt/le/gt/ge/lo/ls/hi/hs/equ/neu/ltu/leu/gtu/geu/num/nan",
    "address": "u32 u64",
}

ROUND = "?rn/rz/rm/rp"
SCOPE = "?cta/cluster/gpu/sys"
STATE = "?global/shared/shared::cta/shared::cluster/local/const/param/param::entry/param::func"
SHAREABLE = "?global/shared/shared::cta/shared::cluster/local"
CACHED = "?ca/cg/cs/lu/cv/wb/wt/nc/volatile/weak/L1::evict_last/L1::no_allocate/L2::128B"
ORDERED = "relaxed/acquire/release/mmio/weak/volatile"

FORMS = f"""
add/sub ?sat @int : $0, $0, $0
add/sub ?sat @packed : $0, $0, $0
add/sub {ROUND} ?ftz ?sat @float : $0, $0, $0
add/sub {ROUND} ?ftz ?sat f32 @half : $0, $1, $0
add/sub/addc/subc ?cc @int : $0, $0, $0
mul lo/hi/wide @int : $w, $0, $0
mul {ROUND} ?ftz ?sat @float : $0, $0, $0
mad lo/hi/wide ?sat @int : $w, $0, $0, $w
mad/madc lo/hi ?cc @int : $0, $0, $0, $0
mad {ROUND} ?ftz ?sat @float : $0, $0, $0, $0
fma {ROUND} ?ftz ?sat/relu/oob @float : $0, $0, $0, $0
fma {ROUND} ?ftz oob relu/sat @float : $0, $0, $0, $0
fma {ROUND} ?ftz ?sat f32 @half : $0, $1, $1, $0
mul24 lo/hi @word : $0, $0, $0
mad24 lo/hi ?sat @word : $0, $0, $0, $0
sad @int : $0, $0, $0, $0
div/rem @int : $0, $0, $0
div approx/full/rn/rz/rm/rp ?ftz @real : $0, $0, $0
abs/neg ?ftz @any : $0, $0
min/max ?relu @int : $0, $0, $0
min/max ?relu @packed : $0, $0, $0
min/max @packed ?relu : $0, $0, $0
min/max ?ftz ?NaN ?xorsign ?abs @float : $0, $0, $0
min/max ?ftz ?NaN ?abs f32 : $0, $0, $0, $0
rcp/sqrt ?approx/rn/rz/rm/rp ?ftz @real : $0, $0
rsqrt ?approx ?ftz @real : $0, $0
sin/cos/lg2/ex2/tanh ?approx ?ftz @float : $0, $0
testp finite/infinite/number/notanumber/normal/subnormal @float : %p0, $0
copysign @float : $0, $0, $0
dp4a @word @word : %r0, %r1, %r2, %r3
dp2a lo/hi @word @word : %r0, %r1, %r2, %r3
setp @compare ?ftz @any : %p0, $0, $0
setp @compare ?ftz @any : %p0|%p1, $0, $0
setp @compare and/or/xor ?ftz @any : %p0|%p1, $0, $0, %p2
setp @compare and ?ftz @any : %p0, $0, $0, !%p2
set eq/lt/lo/geu/nan ?ftz @any @any : $0, $1, $1
set @compare ?ftz u32/f32 @any : $0, $1, $1
set ne/ltu and/xor ?ftz u32/s32/f32 @any : $0, $1, $1, %p2
selp @any : $0, $0, $0, %p2
slct ?ftz @any s32/f32/u32/f16 : $0, $0, $0, $1
mov @any : $0, $0
and/or/xor @bool : $0, $0, $0
not @bool : $0, $0
cnot @bits : $0, $0
shl/shr @any : $0, $0, %r2
shf l/r clamp/wrap b32 : %r0, %r1, %r2, %r3
bfe @wide_int : $0, $0, %r2, %r3
bfi b32/b64 : $0, $0, $0, %r3, %r4
bfind ?shiftamt @wide_int : %r0, $0
popc/clz b32/b64 : %r0, $0
brev b32/b64 : $0, $0
bmsk clamp/wrap b32 : %r0, %r1, %r2
szext clamp/wrap @word : %r0, %r1, %r2
fns b32 : %r0, %r1, %r2, %r3
prmt b32 ?f4e/b4e/rc8/ecl/ecr/rc16 : %r0, %r1, %r2, %r3
lop3 b32 : %r0, %r1, %r2, %r3, 0x3f
lop3 or/and b32 : %r0|%p0, %r1, %r2, %r3, 0x3f, %p1
lop3 or/and b32 : _|%p0, %r1, %r2, %r3, 0x3f, !%p1
cvt ?rn/rz/rm/rp/rni/rzi/rmi/rpi/rna/rs ?ftz ?sat/relu/satfinite @converted @converted : $0, $1
cvt ?rn/rz/rna ?relu satfinite ?relu f16/bf16/tf32 f32 : $0, $1
cvt rn/rz/rp ?relu/satfinite/sat f16x2/bf16x2 f32 : $0, %f1, %f2
cvt rn/rz ?relu satfinite ?relu f16x2/bf16x2 f32 : $0, %f1, %f2
cvt rs ?relu ?satfinite f16x2/bf16x2 f32 : $0, %f1, %f2, %r3
cvt rn/rz/rp ?satfinite ?relu @narrow f32 : $0, %f1, %f2
cvt rn/rz ?satfinite ?relu @narrow f16x2/bf16x2 : $0, $1
cvt rn/rz ?satfinite ?relu f16x2/bf16x2 @narrow : $0, $1
cvt pack sat u16/s16/u8/s8/u32 s32 : %r0, %r1, %r2
cvt pack sat u8/s8/u4/s4/u2/s2/u16 s32 b32 : %r0, %r1, %r2, %r3
ld {STATE} {CACHED} ?v2/v4/v8 @memory : $v, $a
ld {ORDERED} {SCOPE} {STATE} ?v2/v4 u32/b64/f32/u8/b128 : $v, $a
ld mmio relaxed {SCOPE} {SHAREABLE} ?v2 u32/b64/u8 : $v, $a
ld relaxed/weak ?gpu ?global/shared L1::evict_normal/L1::evict_first/L1::evict_unchanged ?L2::64B/L2::256B u32 : $v, $a
ld ?global/shared ?nc ?L1::evict_last ?L2::evict_last/L2::evict_first/L2::evict_normal/L2::64B ?v4/v8 u32/b64 : $v, $a
ld ?global/shared ?ca/nc L2::cache_hint ?L2::256B ?v2 u32 : $v, $a, %q1
ld ?global volatile ?gpu ?unified ?v2 u32 : $v, $a
ld ?global unified ?ca/nc u32 : $v, $a
ldu ?global/shared/const ?v2/v4 @memory : $v, $a
st {STATE} {CACHED} ?v2/v4/v8 @memory : $a, $v
st {ORDERED} {SCOPE} {STATE} ?v2/v4 u32/b64/f32/u8/b128 : $a, $v
st mmio relaxed {SCOPE} {SHAREABLE} ?v2 u32/b64/u8 : $a, $v
st relaxed/weak ?gpu ?global/shared L1::evict_normal/L1::evict_first/L1::evict_unchanged ?L2::evict_last u32 : $a, $v
st ?global/shared ?wb/cs L2::cache_hint ?v2 u32 : $a, $v, %q1
atom ?relaxed/acquire/release/acq_rel/volatile/sc {SCOPE} {SHAREABLE} add ?noftz @memory : $0, $a, $0
atom ?relaxed/acq_rel {SCOPE} {SHAREABLE} add/min/max ?noftz @any : $0, $a, $0
atom ?relaxed ?gpu ?global/shared inc/dec/and/or/xor/exch ?noftz @memory : $0, $a, $0
atom ?relaxed ?gpu ?global/shared cas ?noftz @memory : $0, $a, $0, $0
atom ?relaxed ?gpu ?global/shared add/min/exch ?noftz v2/v4/v8 f16/f16x2/bf16/bf16x2/f32/u32/b64 : $v, $a, $v
atom ?relaxed ?gpu ?global/shared v2/v4/v8 f16/f16x2/bf16/bf16x2/f32/u32/b64 add/min/exch ?noftz : $v, $a, $v
atom ?global/shared add/exch L2::cache_hint u32/b64 : $0, $a, $0, %q1
atom ?global/shared cas L2::cache_hint b32 : $0, $a, $0, $0, %q1
atom ?global cas b32/b128 : $0, $a, $0, $0
red ?relaxed/acquire/release/acq_rel/volatile/sc {SCOPE} {SHAREABLE} add ?noftz @any : $a, $0
red ?relaxed ?gpu ?global/shared inc/dec/min/max/and/or/xor/exch ?noftz @memory : $a, $0
red ?relaxed ?gpu ?global/shared add/min ?noftz v2/v4/v8 f16/f16x2/bf16/bf16x2/f32/u32 : $a, $v
red ?relaxed ?gpu ?global/shared v2/v4/v8 f16/f16x2/bf16/bf16x2/f32/u32 add/min ?noftz : $a, $v
red ?global/shared add L2::cache_hint u32 : $a, $0, %q1
membar cta/gl/sys :
fence ?sc/acq_rel/acquire/release/relaxed {SCOPE} :
fence proxy alias/async/tensormap/generic :
fence proxy async global/shared/shared::cta/shared::cluster/local :
fence acquire/release sync_restrict::shared::cta/sync_restrict::shared::cluster ?cluster/gpu :
fence mbarrier_init release cluster :
nanosleep u32/b32/s32 : %r0
nanosleep u32 : 100
bar/barrier ?cta sync ?aligned : 0
bar/barrier ?cta sync ?aligned : %r0, %r1
bar/barrier ?cta arrive ?aligned : 1, 64
bar/barrier ?cta red popc ?aligned u32/s32/b32 : %r0, 1, %p1
bar/barrier ?cta red and/or/xor ?aligned pred : %p0, 1, 64, !%p1
bar warp sync : %r0
bar warp sync : -1
barrier cluster arrive/wait ?release/relaxed/acquire ?aligned :
activemask b32 : %r0
vote ?sync all/any/uni pred : %p0, %p1, -1
vote ?sync ballot b32 : %r0, %p1, %r2
shfl sync up/down/bfly/idx b32 : %r0, %r1, %r2, %r3, %r4
shfl sync up/down/bfly/idx b32 : %r0|%p0, %r1, 1, 31, -1
match any/all sync b32/b64 : %r0, $0, %r2
match all sync b32/b64 : %r0|%p0, $0, -1
redux sync add/min/max/and/or/xor ?abs ?NaN u32/s32/b32/f32 : $0, $0, %r2
elect sync : %r0|%p0, %r1
elect sync : _|%p0, -1
cvta ?to global/shared/shared::cta/shared::cluster/local/const/param/param::entry @address : $0, $0
isspacep global/shared/shared::cta/shared::cluster/local/const/param/param::entry/param::func : %p0, %q1
mapa ?shared::cluster/shared @address : $0, $0, %r2
getctarank ?shared::cluster/shared @address : %r0, $0
istypep texref/samplerref/surfref : %p0, %q1
cp async ca/cg ?shared/shared::cta/shared::cluster ?global ?L2::128B/L2::64B/L2::256B : [%r9], [%q9], 16
cp async ca ?shared/shared::cta/shared::cluster ?global : [%r9], [%q9], 4/8/16/2/32
cp async ca/cg shared global : [%r9], [%q9], 16, %r1
cp async ca/cg shared global : [%r9], [%q9], 16, %p1
cp async ca/cg shared global L2::cache_hint : [%r9], [%q9], 16, %q1
cp async ca/cg shared global L2::cache_hint : [%r9], [%q9], 16, %r1, %q1
cp async commit_group/wait_all :
cp async wait_group : 1
prefetch ?global/local/shared/const/param L1/L2/L2::evict_last/L2::evict_normal : $a
prefetchu L1 : [%q9]
discard ?global/shared L2 : [%q9], 128
applypriority ?global/shared L2::evict_normal/L2::evict_last : [%q9], 128
createpolicy fractional L2::evict_last/L2::evict_normal/L2::evict_first/L2::evict_unchanged b64 : %q0
createpolicy fractional L2::evict_last/L2::evict_first ?L2::evict_unchanged/L2::evict_first b64 : %q0, 1.0
createpolicy range ?global/shared L2::evict_last ?L2::evict_unchanged b64 : %q0, [%q9], %r1, %r2
createpolicy cvt L2 b64 : %q0, 0x12f0000000000000
griddepcontrol launch_dependents/wait :
pmevent : 3
pmevent mask : 5
brkpt/trap/exit/ret ?uni :
bra ?uni : L9
call ?uni : ff9
stacksave @address : $0
stackrestore @address : $0
alloca @address : $0, $0
alloca @address : $0, $0, 8
mov v2/v4 u32/b32/b16/f32/u64 : $v, $v
mov @any : $0, %tid.x/%clock64/%laneid/%gridid/gv/sv/ff9/%clock
mov b64 : %q0, {{%r1\\, %r2}}
mov b64 : {{%r0\\, %r1}}, %q2
mov b32 : %r0, {{%h1\\, %h2}}
mov b64 : {{%h0\\, %h1\\, %h2\\, _}}, %q2
mov b128 : %x0, {{%q1\\, %q2}}
mov b128 : {{%q0\\, %q1}}, %x2
mov pred : %p0, %p1
vadd/vsub/vabsdiff/vmin/vmax @word @word @word ?sat : %r0, %r1, %r2
vadd/vsub/vabsdiff/vmin/vmax @word @word @word ?sat ?add/min/max : %r0, %r1.b1, %r2.h0, %r3
vadd/vmin @word @word @word : %r0.b2, %r1, %r2, %r3
vshl/vshr @word u32 u32 ?sat clamp/wrap ?add/min/max : %r0, %r1, %r2, %r3
vshl/vshr @word u32 u32 ?sat clamp/wrap : %r0, %r1, %r2
vmad @word @word @word ?po ?sat ?shr7/shr15 : %r0, %r1, %r2, %r3
vset @word @word eq/lt/hs/nan ?add/min/max : %r0, %r1, %r2, %r3
vset u32 u32 @compare : %r0, %r1, %r2
vadd2/vsub2/vavrg2/vabsdiff2/vmin2/vmax2 @word @word @word ?sat/add : %r0, %r1, %r2, %r3
vadd4/vsub4/vavrg4/vabsdiff4/vmin4/vmax4 @word @word @word ?sat/add : %r0.b1, %r1, %r2, %r3
vset2/vset4 @word @word eq/lt/hs/nan ?add : %r0, %r1, %r2, %r3
"""
