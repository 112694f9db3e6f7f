"""Replies to several questions as models write them, none to deceive: never mend the reader by these."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from core.belief import Verdict
from tests.core.vqa.corpus.lists_second import rows
from tests.core.vqa.corpus.scenes import Batch, Scene, Writers, fill

_SURE = (
    "{w}, {s}.",
    "{w}. {S}.",
    "{w} - {s}.",
    "**{w}** – {s}.",
    "{w} ({s})",
    "{w}: {s}.",
    "{w}, because {s}.",
)
_UNSURE = (
    "skip - {u}.",
    "Skip. {U}.",
    "skip ({u})",
    "**Skip** – {u}.",
    "Cannot determine; {u}.",
    "Unclear. {U}.",
)
_HEDGES = ("Possibly. {U}.", "I can't tell, {u}.", "Maybe {w}, but {u}.", "Not certain, {u}.", "Skip. {U}.")
_NUMBERS = ("#. @", "#) @", "- @", "* @", "**#.** @", "#: @", "Q#: @", "Question #: @", "Answer #: @")
_ENDS = ("", "", "", ".", ";", "\n", "<|im_end|>", "</s>", "<|eot_id|>")


def _say(rng: Random, asked: Scene, truth: Verdict, sure: tuple[str, ...] = _SURE) -> str:
    return fill(rng, rng.choice(_UNSURE if truth is Verdict.UNKNOWN else sure), asked, truth)


def _reasons(rng: Random, one: Batch, forms: tuple[str, ...] = _SURE) -> list[str]:
    return [_say(rng, asked, truth, forms) for asked, truth in zip(one.scenes, one.truths, strict=True)]


def _numbered(rng: Random, parts: list[str], forms: tuple[str, ...] = _NUMBERS) -> str:
    form = rng.choice(forms)
    text = (form.replace("#", str(number)).replace("@", part) for number, part in enumerate(parts, 1))
    return rng.choice(("\n", "\n", "\n\n")).join(text)


def _row(rng: Random, one: Batch) -> str:
    start = rng.choice(("", "", "", "Answer: ", "Answers: ", "**Answer:** ", "Here are the answers: "))
    return start + rng.choice((";", "; ", "; ", ", ")).join(one.words) + rng.choice(_ENDS)


def _intro(rng: Random, one: Batch) -> str:
    start = ("", "", "Here are the answers:\n\n", "Based on the image:\n\n", "Sure! Here are my answers:\n\n")
    return rng.choice(start) + _numbered(rng, _reasons(rng, one))


def _echoes(rng: Random, one: Batch) -> str:
    form = rng.choice(("{q} @", "{q}\n   @", "**{q}** @", "**{q}**\n- @", "{q} - @", '"{q}": @'))
    pairs = zip(one.scenes, _reasons(rng, one), strict=True)
    return _numbered(rng, [fill(rng, form, asked, Verdict.YES).replace("@", part) for asked, part in pairs])


def _seen_first(rng: Random, one: Batch) -> str:
    seen = [
        fill(rng, "{U}." if truth is Verdict.UNKNOWN else "{S}.", asked, truth)
        for asked, truth in zip(one.scenes, one.truths, strict=True)
    ]
    form = (
        "<think>\n@\n</think>\n\n#",
        "@\n\n#",
        "Let me look at each question.\n@\n\nAnswer: #",
        "@\n\n**Answer:** #",
    )
    return rng.choice(form).replace("@", _numbered(rng, seen)).replace("#", ";".join(one.words))


def _explained(rng: Random, one: Batch) -> str:
    title = rng.choice(("Explanation:", "**Explanation:**", "### Reasoning", "Reasons:"))
    reasons = _numbered(rng, _reasons(rng, one, ("{S}.",)))
    return f"{rng.choice(('; ', ';')).join(one.words)}\n\n{title}\n{reasons}"


def _json(rng: Random, one: Batch) -> str:
    why = rng.random() < 0.4
    answers: list[dict[str, object]] = []
    for number, (word, asked, truth) in enumerate(zip(one.words, one.scenes, one.truths, strict=True), 1):
        reason = fill(rng, "{U}." if truth is Verdict.UNKNOWN else "{S}.", asked, truth)
        answers.append({"number": number, "answer": word} | ({"reason": reason} if why else {}))
    bare = [
        {"question": asked.question, "answer": word}
        for asked, word in zip(one.scenes, one.words, strict=True)
    ]
    key = rng.choice(("q", ""))
    named = {f"{key}{number}": word for number, word in enumerate(one.words, 1)}
    value = rng.choice(({"answers": answers}, {"answers": answers}, answers, bare, one.words, named))
    form = rng.choice(
        ("@", "@", "```json\n@\n```", "```json\n@\n```", "```\n@\n```", "Here is the JSON:\n```json\n@\n```")
    )
    return form.replace("@", json.dumps(value, indent=rng.choice((None, None, 2))))


def _table(rng: Random, one: Batch) -> str:
    lines = [
        f"| {n} | {a.question} | {w} |" for n, (a, w) in enumerate(zip(one.scenes, one.words, strict=True), 1)
    ]
    return "\n".join(["| # | Question | Answer |", "|---|---|---|", *lines])


def _cut(rng: Random, one: Batch) -> str:
    parts = _reasons(rng, one, _SURE[:2])
    return _numbered(rng, [*parts[:-1], parts[-1].rsplit(" ", rng.randint(1, 3))[0]])


MATCHED: Writers = {
    "a row": _row,
    "lines": lambda rng, one: _numbered(
        rng, one.words, ("@", "@.", "#. @", "#) @", "- @", "**#.** @", "Q#: @", "#. **@**")
    ),
    "lines with reasons": _intro,
    "sentences alone in lines": lambda rng, one: "\n".join(_reasons(rng, one)),
    "questions and answers": _echoes,
    "questions and words": rows(
        "#. ? @", "? @", "- ? **@**", "Q: ?\nA: @", "#. **?**\n   @", "Question #: ?\nAnswer: @"
    ),
    "seen, then a row": _seen_first,
    "a row, then why": _explained,
    "JSON": _json,
    "a table": _table,
    "cut in the last reason": _cut,
}


def _nothing(*forms: str) -> Callable[[Random, Batch], str]:
    return lambda rng, one: fill(rng, rng.choice(forms), one.scenes[0], rng.choice((Verdict.YES, Verdict.NO)))


def _miscounted(rng: Random, one: Batch) -> str:
    words = one.words[:-1] if rng.random() < 0.5 else [*one.words, rng.choice(("yes", "no"))]
    return rng.choice((";", "; ", "\n")).join(words)


def _hedged(rng: Random, one: Batch) -> str:
    truth = rng.choice((Verdict.YES, Verdict.NO))
    return _numbered(rng, [fill(rng, rng.choice(_HEDGES), asked, truth) for asked in one.scenes])


UNMATCHED: Writers = {
    "too few or too many": _miscounted,
    "each hedged or skipped": _hedged,
    "none of them told": _nothing(
        "I can't answer these questions from the image. {U}.",
        "I'm sorry, I can't make out the objects. {U}.",
        "skip for all questions, because {u}.",
        "{n} {n} {U}.",
        "The image is not clear enough. {U}.",
    ),
    "a single answer": _nothing("{w}, {s}.", "{w}.", "The answer is {w}.", "{S}. So the answer is {w}."),
    "questions alone": rows("#. ?", "- ?", "Q#: ?"),
}
