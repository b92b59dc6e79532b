"""Forms from the table's lines: an opcode with its suffixes, and operands that follow the suffixes' types."""

import itertools
import re
from dataclasses import dataclass, field

from ptx_forms.table import FORMS, SETS

# The register file that stands for a type; of the packed and narrow ones, the bits that hold it.
_BANKS = {
    "h": "b16 u16 s16 f16 bf16 b8 u8 s8 e4m3x2 e5m2x2 ue8m0x2 e2m3x2 e3m2x2",
    "r": "b32 u32 s32 f16x2 bf16x2 u16x2 s16x2 tf32 e4m3x4 e5m2x4",
    "q": "b64 u64 s64 f32x2",
    "f": "f32",
    "d": "f64",
    "x": "b128",
    "p": "pred",
    "b": "e2m1x2",
}
_BANK = {kind: bank for bank, kinds in _BANKS.items() for kind in kinds.split()}
_DOUBLED = {"u16": "u32", "s16": "s32", "u32": "u64", "s32": "s64"}

TYPES = sorted(_BANK)

PROLOGUE = (
    ".reg .b8 %b<9>; .reg .b16 %h<9>; .reg .b32 %r<10>; .reg .b64 %q<10>; .reg .b128 %x<9>; .reg .f32 %f<9>; "
    ".reg .f64 %d<9>; .reg .pred %p<9>; .reg .u32 %u<9>; .reg .s32 %s<9>; .reg .u16 %uh<9>; .reg .s64 %sq<9>; "
    ".reg .f16 %e<9>; .reg .f16x2 %g<9>;"
)


def register(kind, index):
    """A register for a value of the type, as a number of its own."""
    return f"%{_BANK.get(kind, 'r')}{index}"


@dataclass(frozen=True)
class Form:
    """An instruction: suffixes in order, and operands in which `$` stands for what the suffixes say."""

    opcode: str
    suffixes: tuple
    operands: tuple
    text: str = field(init=False, compare=False)

    def __post_init__(self):
        name = ".".join((self.opcode, *self.suffixes))
        operands = ", ".join(self._written(operand, at) for at, operand in enumerate(self.operands))
        object.__setattr__(self, "text", f"{name} {operands}".rstrip())

    @property
    def types(self):
        return tuple(word for word in self.suffixes if word in _BANK)

    def _written(self, operand, at):
        types = self.types + ("b32", "b32")
        if operand == "$w":
            kind = _DOUBLED.get(types[0], types[0]) if "wide" in self.suffixes else types[0]
            return register(kind, at)
        if operand == "$v":
            lengths = [int(word[1:]) for word in self.suffixes if re.fullmatch(r"v[248]", word)]
            if not lengths:
                return register(types[0], at)
            return "{" + ", ".join(register(types[0], i) for i in range(lengths[0])) + "}"
        if operand == "$a":
            shared = any(word.startswith("shared") for word in self.suffixes)
            return "[%r9]" if shared else "[%q9]"
        if operand.startswith("$"):
            return register(types[int(operand[1:])], at)
        return operand


def _alternatives(group):
    if group.startswith("@"):
        return re.split(r"[ /]", SETS[group[1:]])
    if group.startswith("?"):
        return ["", *group[1:].split("/")]
    return group.split("/")


def forms():
    """Every form of the table, each once, in its order."""
    seen = {}
    for line in FORMS.strip().split("\n"):
        head, _, tail = line.partition(" :")
        groups = [_alternatives(group) for group in head.split()]
        operands = [part.strip().replace("\\,", ",") for part in re.split(r"(?<!\\),", tail)] if tail.strip() else []
        choices = [[o] if o.startswith(("{", "[")) else o.split("/") for o in operands]
        for opcode, *words in itertools.product(*groups):
            for chosen in itertools.product(*choices):
                form = Form(opcode, tuple(word for word in words if word), chosen)
                seen.setdefault(form.text, form)
    return list(seen.values())
