"""Count how many small problems, one for each feature of PDDL, the command `plan` answers correctly.

Run: python benchmarks/planning_features.py [CHECKOUT]

CHECKOUT is the folder whose `main.py` is used, by default this one; another commit can thus be counted as
well.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.core.planning.features import CASES, Case

ROOT = Path(__file__).parents[1]


def main(checkout: Path) -> None:
    counts: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        for name, case in CASES.items():
            found = judged(case, *asked(case, checkout, Path(folder)))
            counts[found] += 1
            if found != "right":
                print(f"{found:22} {name}")
    print(f"{len(CASES)} problems: " + ", ".join(f"{n} {word}" for word, n in counts.most_common()))


def asked(case: Case, checkout: Path, folder: Path) -> tuple[dict[str, object], str]:
    """Return the output of `plan --json`, {} if there was none, and its error message."""
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    domain.write_text(case.domain)
    problem.write_text(case.problem)
    files = ["--domain-file", str(domain), "--problem-file", str(problem)]
    command = [sys.executable, "main.py", "plan", *files, "--json"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True)
    lines = done.stdout.strip().splitlines()
    try:
        said = json.loads(lines[-1]) if lines else {}
    except ValueError:
        said = {}
    return said, done.stdout + done.stderr


def judged(case: Case, said: dict[str, object], complaint: str) -> str:
    if case.answer != "impossible" and not isinstance(case.answer, int):
        named = " ".join(str(case.answer).split()) in " ".join(complaint.split())
        return "right" if named else "PLANNED" if said else "refused without name"
    if not said:
        return "refused"
    if case.answer == "impossible":
        return "right" if said["status"] == "impossible" else "WRONG"
    if said["status"] != "found":
        return "WRONG" if said["status"] == "impossible" else "no answer"
    return "right" if said["length"] == case.answer else "longer"


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT)
