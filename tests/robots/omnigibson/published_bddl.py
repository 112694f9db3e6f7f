"""The five activities as bddl published them: their names, their beginning and their goal.

`python -m tests.robots.omnigibson.published_bddl FOLDER...` writes `published_bddl.json` from unpacked source
archives of bddl, each named `bddl-VERSION`. It was last written from 3.5.0 and 3.6.0, on 2026-11-23.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from robots.omnigibson.activities import ACTIVITIES

FILE = Path(__file__).parent / "published_bddl.json"


def read(folder: Path) -> dict[str, dict[str, object]]:
    """Return for each activity its names, the facts of its beginning, and its goal on one line."""
    names = sorted({activity.name for several in ACTIVITIES.values() for activity in several})
    return {name: activity(next(folder.rglob(f"{name}/problem0.bddl")).read_text()) for name in names}


def activity(text: str) -> dict[str, object]:
    def part(key: str) -> str:
        start = text.index(f"(:{key}")
        depth, end = 0, start
        for end in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if not depth:
                break
        return " ".join(text[start + len(key) + 2 : end].split())

    names = sorted(word for word in part("objects").split() if re.search(r"_\d+$", word))
    return {"names": names, "init": sorted(re.findall(r"\([^()]+\)", part("init"))), "goal": part("goal")}


if __name__ == "__main__":
    found = {Path(folder).name.removeprefix("bddl-"): read(Path(folder)) for folder in sys.argv[1:]}
    FILE.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
