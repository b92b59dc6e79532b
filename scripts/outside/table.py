"""The table of outside suites: what became of the tests, and why those that failed did. Every failure is known by
name, with its kind, in known-failures.txt; one that is not is a fault.
"""

# Kinds that are left out of the percentage: no CUDA driver without NVIDIA's libraries or machine code could pass them.
LEFT_OUT = {
    "machine code": "needs NVIDIA's code in machine code",
    "suite": "fails on any device: the suite and its libraries do not fit each other",
    "memory": "needs more memory or time than this machine has",
}


def known_failures(path):
    """Suite, kind, test and reason of each line; a test that ends in * stands for all whose names start so."""
    known = []
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            suite, kind, test, reason = (part.strip() for part in line.split("|", 3))
            known.append((suite, kind, test, reason))
    return known


def find(known, suite, test):
    for in_suite, kind, name, _ in known:
        if in_suite == suite and (name == test or (name.endswith("*") and test.startswith(name[:-1]))):
            return kind, name
    return None


def report(outcomes, suites, known):
    """The text, and whether any test failed that is not known to."""
    lines, unknown, mended = [], [], []
    for suite, tests in outcomes.items():
        kinds, passed, skipped = {}, 0, 0
        for test, said in tests.items():
            entry = find(known, suite, test)
            if said["outcome"] in ("passed", "expected failure"):
                passed += 1
                if entry and entry[1] == test:
                    mended.append(f"{suite}: {test}")
            elif said["outcome"] == "skipped":
                skipped += 1
            else:
                kind = entry[0] if entry else f"not known ({said['outcome']})"
                kinds.setdefault(kind, []).append(test)
                if not entry:
                    unknown.append(f"{suite}: {test}: {said['outcome']}\n    {first_error(said['text'])}")
        failed = sum(len(each) for each in kinds.values())
        left_out = sum(len(each) for kind, each in kinds.items() if kind in LEFT_OUT)
        counted = passed + failed - left_out
        share = f"{100 * passed / counted:.1f} %" if counted else "-"
        lines.append(f"\n{suite}: {passed + failed + skipped} tests, {skipped} skipped by the suite, {passed} passed, "
                     f"{failed} failed; {passed} of {counted} that count: {share}")
        lines += [f"  {len(kinds[kind]):4} {kind}{' (left out)' if kind in LEFT_OUT else ''}" for kind in sorted(kinds)]
        lines.append(f"       not run: {suites[suite]['left_out']}")
    if unknown:
        lines += ["\nfailures that are not in known-failures.txt:"] + [f"  {each}" for each in unknown]
    if mended:
        lines += ["\nknown failures that passed (take them from known-failures.txt):"] + [f"  {each}" for each in mended]
    return "\n".join(lines), bool(unknown)


def first_error(text):
    errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
    return (errors or text.strip().splitlines() or [""])[0][:200]
