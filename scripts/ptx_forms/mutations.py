"""Forms that differ from one by one thing: a suffix more, less, twice, elsewhere or another, an operand more, less or
of another kind."""

from ptx_forms.grammar import TYPES, Form

_WORDS = (
    "rn rz rm rp rni rzi rna ftz sat relu satfinite approx full NaN xorsign abs cc lo hi wide oob noftz eq ltu and or "
    "uni sync aligned all any ballot idx up l r clamp wrap shiftamt to volatile unified weak relaxed acquire release "
    "acq_rel sc mmio cta cluster gpu sys global shared shared::cta local const param reg tex ca cg nc wb cv "
    "L1::evict_last L2::evict_last L2::128B L2::cache_hint v2 v4 add min inc cas exch popc arrive red warp mask pack "
    "fractional range cvt L1 L2 wait entry finite po shr7 f4e async proxy alias"
).split()

_OPERANDS = (
    "%h1 %r1 %q1 %x1 %f1 %d1 %p1 %u1 %s1 %uh1 %sq1 %e1 %g1 !%p1 -%r1 1 -1 0 0x1ffffffff 1.0 0f3f800000 "
    "0d3ff0000000000000 WARP_SZ %tid.x %clock64 %tid gv sv ff9 gv+4 _ [%q1] [%r1] [%h1] [gv] [sv+4] [4] [gv-4] L9 "
    "%r1|%p1 {%r1,%r2} {%r1} %r1.b1 nosuch"
).split()


def with_suffixes_changed(form):
    """Every form with one suffix added, dropped, doubled, exchanged with its neighbour, or of another type."""
    words = form.suffixes
    changed = []
    for word in _WORDS:
        first_type = next((i for i, w in enumerate(words) if w in TYPES), 0)
        changed += [(*words[:first_type], word, *words[first_type:]), (*words, word)]
    for i, word in enumerate(words):
        changed.append(words[:i] + words[i + 1 :])
        changed.append((*words[: i + 1], *words[i:]))
        if i + 1 < len(words):
            changed.append((*words[:i], words[i + 1], word, *words[i + 2 :]))
        if word in TYPES:
            changed += [(*words[:i], other, *words[i + 1 :]) for other in TYPES]
    return [Form(form.opcode, suffixes, form.operands) for suffixes in changed]


def with_operands_changed(form):
    """Every form with one operand added, dropped, or of another kind."""
    has = form.operands
    changed = [(*has, more) for more in ("%r1", "%q1", "%p1", "1")]
    for i in range(len(has)):
        changed.append(has[:i] + has[i + 1 :])
        changed += [(*has[:i], other, *has[i + 1 :]) for other in _OPERANDS]
    return [Form(form.opcode, form.suffixes, operands) for operands in changed]


def seeds(accepted):
    """Of the forms that are accepted, the shortest and the longest of each opcode with its types and operands."""
    groups = {}
    for form in accepted:
        groups.setdefault((form.opcode, form.types[:1], len(form.operands)), []).append(form)
    chosen = {}
    for group in groups.values():
        for form in (min(group, key=lambda f: len(f.text)), max(group, key=lambda f: len(f.text))):
            chosen.setdefault(form.text, form)
    return list(chosen.values())
