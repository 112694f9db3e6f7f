"""An option that does nothing with the chosen parts is refused: whoever gave it believes that it does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import call

RUN = ("run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--max-steps", "1")
BENCH = ("bench", "--tasks", "halve_egg", "--trials", "1")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*RUN, "--max-calls", "5"), "--max-calls does nothing here: the default answerer is no model"),
        ((*RUN, "--answerer", "perfect", "--max-dollars", "3", "--model", "x"), "--max-dollars do nothing"),
        ((*RUN, "--answerer", "perfect+skips", "--cache", "f"), "perfect+skips is no model"),
        ((*RUN, "--prompt", "single"), "--prompt does nothing here"),
        ((*RUN, "--video", "f.mp4"), "--video does nothing here: --no-pictures leaves nothing to show"),
        ((*RUN, "--knower", "ada"), "--knower does nothing here: dkprompt asks no language model"),
        ((*RUN, "--method", "cowp", "--knower", "ada", "--max-calls", "3"), "--max-calls does nothing here"),
        ((*BENCH, "--calls-per-minute", "5"), "--calls-per-minute does nothing here"),
        ((*BENCH, "--accuracy", "0.9", "--answerers", "perfect"), "--answerers does nothing here"),
        (
            ("reask", "--answerer", "ada", "--prompts", "--wording", "household"),
            "--wording does nothing here",
        ),
        (("reask", "--answerer", "ada", "--prompts", "--max-calls", "3"), "--max-calls does nothing here"),
    ],
)
def test_that_an_option_without_effect_is_refused(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    ran = call(*words, "--database", str(tmp_path / "log.db"))
    assert ran.exit_code == 2
    assert said in " ".join(ran.stderr.split())


@pytest.mark.parametrize(
    "words",
    [("--prompt", "paper"), ("--seed", "3"), ("--method", "cowp", "--knower", "ada")],
    ids=" ".join,
)
def test_that_one_with_an_effect_is_taken(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert call(*RUN, *words, "--database", str(tmp_path / "log.db")).exit_code in (0, 1, 3)
