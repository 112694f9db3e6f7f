"""Replies to several questions, in forms thought of after the reader was changed for the second ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from tests.core.vqa.corpus.lists_second import rows
from tests.core.vqa.corpus.scenes import REMARKS, Batch, Writers, fill


def _row(form: str, between: str = ";") -> Callable[[Random, Batch], str]:
    return lambda rng, one: form.replace("@", between.join(one.words)).replace("$", rng.choice(REMARKS))


def _explained(rng: Random, one: Batch) -> str:
    why = "\n".join(f"{n}. {rng.choice(REMARKS)}" for n, _ in enumerate(one.words, 1))
    return f"{';'.join(one.words)}\n\nExplanation:\n{why}"


def _thoughtful(rng: Random, one: Batch) -> str:
    pairs = zip(one.scenes, one.truths, strict=True)
    thoughts = " ".join(fill(rng, "{q} {w}? {x}? {S}.", asked, truth.opposite) for asked, truth in pairs)
    return f"<think>{thoughts}</think>\n\n{'; '.join(one.words)}"


def _with_questions(rng: Random, one: Batch) -> str:
    pairs = enumerate(zip(one.scenes, one.words, strict=True), 1)
    found = [{"number": n, "question": asked.question, "answer": word} for n, (asked, word) in pairs]
    return json.dumps({"answers": found}, indent=rng.choice((None, 1, 4)))


def _after_questions(rng: Random, one: Batch) -> str:
    return f"{'; '.join(asked.question for asked in one.scenes)}\n{';'.join(one.words)}"


MATCHED: Writers = {
    "headings": rows("## Question #\n@", "### #. ?\n@", "**Question #:** ?\n**Answer:** @\n"),
    "questions and arrows": rows("? -> @", "? → @", "#. ? → @", "? => @"),
    "parentheses": rows("#. ? (@)", "#) @ (?)", "? (@)"),
    "letters": lambda rng, one: "\n".join(f"{'abcdef'[n]}) {word}" for n, word in enumerate(one.words)),
    "row, then reasons": _explained,
    "thought through": _thoughtful,
    "questions in JSON": _with_questions,
    "JSON, then talk": lambda rng, one: json.dumps({"answers": one.words}) + f"\n\n{rng.choice(REMARKS)}",
    "row with its count": lambda rng, one: f"{len(one.words)} answers: {'; '.join(one.words)}",
    "row after the questions": _after_questions,
    "row in a tag with thoughts": _row("<reasoning>$</reasoning>\n<answer>@</answer>"),
    "row with quotes": _row('"@"', '";"'),
    "row with stops": _row("@.", ". "),
    "spaced lines": rows("@\n", "#. @\n", "- @\n", "* **@**\n"),
    "row and token": _row("<|assistant|>@<|end|>"),
}


def _another_list(rng: Random, one: Batch) -> str:
    return "\n".join(f"{n}. {word}" for n, word in enumerate(one.words, 4))


def _two_rows(rng: Random, one: Batch) -> str:
    return "\n".join(";".join(word for _ in one.words) for word in ("yes", "no"))


def _fewer_lines(rng: Random, one: Batch) -> str:
    return "\n".join(f"{word}, {rng.choice(REMARKS)}" for word in one.words[1:])


UNMATCHED: Writers = {
    "numbers from another list": _another_list,
    "questions with options": rows("#. ? yes/no/skip", "? (yes/no)", "#. ? yes or no"),
    "two different rows": _two_rows,
    "row longer by one": lambda rng, one: f"Answers: {'; '.join([*one.words, 'yes'])}",
    "numbers shorter by one": lambda rng, one: "\n".join(f"{n}. {w}" for n, w in enumerate(one.words[1:], 1)),
    "hedges in lines": rows(
        "#. maybe", "#. it might be @", "#. probably @, I'm not certain", "#. possibly @"
    ),
    "rule in lines": lambda rng, one: f"Use this format:\n{rows('#. yes/no/skip')(rng, one)}",
    "schema": rows('{"number": #, "answer": "yes|no|skip"}'),
    "an example of it": _row("Your reply should look like this: @"),
    "lines shorter by one": _fewer_lines,
}
