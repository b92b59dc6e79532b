"""What the two judges said, counted; the differences by kind, and which of them are meant to be."""

import re
from collections import Counter, defaultdict

KINDS = ("both take", "neither takes", "only ptxas takes", "only the CPU device takes", "ptxas ends without a word")


def intended(path):
    """(who takes it, pattern of the form, reason) of each line of the list."""
    entries = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            taker, pattern, reason = (part.strip() for part in line.split(" | ", 2))
            entries.append((taker, re.compile(pattern), reason))
    return entries


class Tally:
    """Counts of agreement by set of forms, and every difference with what was said of it."""

    def __init__(self, entries):
        self._entries = entries
        self._counts = {}
        self._meant = Counter()
        self.unexpected = defaultdict(list)  # (taker, opcode, message without its names): forms and messages

    def add(self, name, forms, refused, device):
        counts = self._counts[name] = Counter()
        for form in forms:
            by_ptxas, by_device = refused.get(form.text), device.refusal(form.text)
            located = by_device is None or not by_device.startswith("without its line")
            kind = self._kind(by_ptxas, by_device)
            counts[kind] += 1
            if not located:
                self.unexpected["no line", form.opcode, by_device].append((form.text, by_device))
            elif kind.startswith("only"):
                self._differ(kind, form, by_device if by_ptxas is None else by_ptxas)

    @staticmethod
    def _kind(by_ptxas, by_device):
        if by_ptxas == "":
            return KINDS[4]
        if by_ptxas is None:
            return KINDS[0] if by_device is None else KINDS[2]
        return KINDS[3] if by_device is None else KINDS[1]

    def _differ(self, kind, form, message):
        taker = "ptxas" if kind == KINDS[2] else "device"
        for entry in self._entries:
            if entry[0] == taker and entry[1].search(form.text):
                self._meant[entry[2]] += 1
                return
        self.unexpected[taker, form.opcode, re.sub(r"'[^']*'", "'...'", message)].append((form.text, message))

    def text(self, head, examples):
        columns = list(self._counts)
        lines = [head, "", " " * 28 + "".join(f"{name:>20}" for name in [*columns, "in all"])]
        for kind in KINDS:
            numbers = [self._counts[name][kind] for name in columns]
            lines.append(f"{kind:28}" + "".join(f"{number:20,}" for number in [*numbers, sum(numbers)]))
        totals = [self._counts[name].total() for name in columns]
        lines.append(f"{'forms':28}" + "".join(f"{number:20,}" for number in [*totals, sum(totals)]))
        lines += ["", f"intended differences: {self._meant.total():,}"]
        lines += [f"{number:8,}  {reason}" for reason, number in self._meant.most_common()]
        others = sum(len(found) for found in self.unexpected.values())
        lines += ["", f"other differences: {others:,}"]
        for (taker, opcode, _), found in sorted(self.unexpected.items()):
            lines.append(f"{len(found):8,}  {opcode}, {taker}: {found[0][1]}")
            lines += [f"          {text}" for text, _ in found[:examples]]
        return "\n".join(lines)
