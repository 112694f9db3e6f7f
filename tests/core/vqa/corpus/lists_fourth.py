"""Replies to several questions, in forms thought of after the reader was changed for the third ones."""

from __future__ import annotations

import json
from random import Random

from tests.core.vqa.corpus.lists_second import rows
from tests.core.vqa.corpus.scenes import REMARKS, Batch, Writers, fill


def _joined(rng: Random, one: Batch, *forms: str) -> str:
    return rng.choice(forms).replace("@", ";".join(one.words)).replace("$", rng.choice(REMARKS))


def _shuffled_lines(rng: Random, one: Batch) -> str:
    lines = [f"{n}. {word}" for n, word in enumerate(one.words, 1)]
    return "\n".join(reversed(lines))


def _said(rng: Random, one: Batch) -> str:
    pairs = zip(one.scenes, one.truths, strict=True)
    parts = [
        fill(rng, "{w}, {s}.", asked, truth) if truth.value != "unknown" else "skip" for asked, truth in pairs
    ]
    return "\n".join(f"{n}. {part}" for n, part in enumerate(parts, 1))


def _by_question(rng: Random, one: Batch) -> str:
    pairs = zip(one.scenes, one.words, strict=True)
    return json.dumps([{"question": asked.question, "answer": word} for asked, word in pairs])


def _reversed_object(rng: Random, one: Batch) -> str:
    rows = [{"number": n, "answer": word} for n, word in enumerate(one.words, 1)]
    return json.dumps({"answers": rows[::-1]}, indent=rng.choice((None, 2)))[: rng.choice((None, -6, -12))]


MATCHED: Writers = {
    "row between remarks": lambda rng, one: _joined(rng, one, "$\n\n@", "@\n\n$", "$\n@\n$", "$ Answers: @"),
    "row in a tag": lambda rng, one: _joined(
        rng, one, "<answers>@</answers>", "<output>@</output>", "<think>$</think>@"
    ),
    "row in a fence": lambda rng, one: _joined(
        rng, one, "```text\n@\n```", "```\n@\n```\n$", "$\n```\n@;\n```"
    ),
    "numbers and reasons": _said,
    "numbers backwards": _shuffled_lines,
    "objects backwards, some cut": _reversed_object,
    "objects by question": _by_question,
    "keys": rows("answer_#: @", "answer#: @", "a#: @", "q#=@", "# = @"),
    "rows of a table": rows("| # | @ |", "|#|?|@|", "# | ? | @"),
    "underneath": rows("#. ?\n   @", "#. ?\n   - @", "#. ?\n   Answer: @", "#. ?\n**@**"),
    "marked": rows("#. `@`", "#. _@_", "#) **@**.", "* #: @", "#.) @"),
}

UNMATCHED: Writers = {
    "answers short of one": lambda rng, one: ";".join(one.words[1:]),
    "answers for another count": lambda rng, one: "\n".join(
        f"{n}. {w}" for n, w in enumerate((*one.words, *one.words), 1)
    ),
    "a list that stops": lambda rng, one: (
        "\n".join(f"{n}. {w}" for n, w in enumerate(one.words[:-1], 1)) + f"\n{len(one.words)}."
    ),
    "all in one word": lambda rng, one: rng.choice(
        ("yes to all", "All of them: no", "no.", "Yes.", "none", "both yes", "all no")
    ),
    "sample": lambda rng, one: _joined(
        rng, one, "Sample reply: @", "Like so: @", "such as @", "The answer has the form @"
    ),
    "uncertain rows": rows("#. @, I guess", "#. @, not certain", "#. @, but I doubt it"),
    "options repeated": rows("#. yes / no / skip", "? yes, no or skip", "#: [yes/no/skip]"),
}
