"""What a log quotes in PDDL is read in words."""

from __future__ import annotations

import pytest

from core.planning.domain_library import load_task
from core.text.vocabulary import in_words

FOLDER, _ = load_task("boil_water")


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (
            "(ontop mug-n-04_1 floor-n-01_1) does not hold; (inview agent-n-01_1 mug-n-04_1) does not hold",
            "the mug is not on top of the floor; the mug is not in view",
        ),
        ("(find agent-n-01_1 mug-n-04_1 kitchen_1) failed twice", "find the mug failed twice"),
        ("(find mug-n-04_1) failed", "(find mug-n-04_1) failed"),  # too few arguments
        ("3 times: (not (inside mug-n-04_1 cabinet-n-01_1))", "3 times: the mug is not inside the cabinet"),
        ("It halted (see the log).", "It halted (see the log)."),
        ("(no such thing) does not hold", "(no such thing) does not hold"),
    ],
)
def test_that_known_atoms_and_steps_become_words_and_all_else_stays(written: str, words: str) -> None:
    assert in_words(FOLDER, written) == words
