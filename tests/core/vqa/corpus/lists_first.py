"""Replies to several questions, by family: how a list of answers is written, and what cannot be matched."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from core.belief import Verdict
from tests.core.vqa.corpus.scenes import REMARKS, Batch, Writers, fill


def reasoned(rng: Random, one: Batch, number: int) -> str:
    """Return an item's answer with a reason, or with why it is skipped."""
    word, truth = one.words[number], one.truths[number]
    if truth is Verdict.UNKNOWN:
        return word + rng.choice((" - it is hidden", ", I cannot see it", ". Not visible"))
    form = rng.choice((", {s}", " - {s}", ". {S}.", " ({s})", ": {s}"))
    return word + fill(rng, form, one.scenes[number], truth)


def _row(rng: Random, one: Batch) -> str:
    return rng.choice((";", "; ", " ; ", ";\n", ", ")).join(one.words)


def _row_in(*forms: str) -> Callable[[Random, Batch], str]:
    return lambda rng, one: rng.choice(forms).replace("@", _row(rng, one))


def _numbered(rng: Random, items: list[str]) -> str:
    form = rng.choice(("#) @", "#. @", "Q#: @", "(#) @", "**#.** @", "A#. @", "Answer #: @"))
    return "\n".join(form.replace("#", str(n)).replace("@", item) for n, item in enumerate(items, 1))


def _thoughts(rng: Random, one: Batch) -> str:
    pairs = zip(one.scenes, one.truths, strict=True)
    hidden = "That is hidden."
    return _numbered(rng, [hidden if t is Verdict.UNKNOWN else fill(rng, "{S}.", s, t) for s, t in pairs])


def _object(rng: Random, one: Batch) -> str:
    answers = [{"number": number, "answer": word} for number, word in enumerate(one.words, 1)]
    if rng.random() < 0.3:
        rng.shuffle(answers)
    return json.dumps({"answers": answers}, indent=rng.choice((None, 2)))


def _fenced(rng: Random, one: Batch) -> str:
    before, after = rng.choice(("", "Here you are:\n", f"{rng.choice(REMARKS)}\n")), rng.choice(REMARKS)
    return f"{before}```json\n{_object(rng, one)}\n```{rng.choice(('', after))}"


def _asked(rng: Random, one: Batch) -> str:
    between = rng.choice((" ", "\n", " - "))
    pairs = zip(one.scenes, one.words, strict=True)
    return "\n".join(f"{asked.question}{between}{word}" for asked, word in pairs)


def _table(rng: Random, one: Batch) -> str:
    pairs = enumerate(zip(one.scenes, one.words, strict=True), 1)
    rows = [f"| {number} | {asked.question} | {word} |" for number, (asked, word) in pairs]
    return "\n".join(("| # | Question | Answer |", "|---|---|---|", *rows))


MATCHED: Writers = {
    "in a row": _row_in("@", "@.", "@\n", "@;", "@</s>", "@<|im_end|>"),
    "a row after words": _row_in("Answer: @", "Here are the answers:\n@", "Sure!\n@", "The answers are: @"),
    "a row in marks": _row_in("**@**", "```\n@\n```", "<answer>@</answer>", '"@"', "`@`"),
    "lines": lambda rng, one: "\n".join(word + rng.choice(("", ".")) for word in one.words),
    "bullets": lambda rng, one: "\n".join(f"{rng.choice('-*•')} {word}" for word in one.words),
    "numbered": lambda rng, one: _numbered(rng, one.words),
    "numbered with reasons": lambda rng, one: _numbered(
        rng, [reasoned(rng, one, number) for number in range(len(one.words))]
    ),
    "reasons, then a row": lambda rng, one: (
        f"{_thoughts(rng, one)}\n\n{rng.choice(('', 'Answer: ', '**Answers:** '))}{_row(rng, one)}"
    ),
    "thought, then a row": lambda rng, one: f"<think>{_thoughts(rng, one)}\nyes;no?</think>{_row(rng, one)}",
    "object": _object,
    "object in a fence": _fenced,
    "list of words": lambda rng, one: json.dumps(one.words),
    "object by number": lambda rng, one: json.dumps(dict(zip("123456", one.words, strict=False))),
    "questions with answers": _asked,
    "table": _table,
    "tags": lambda rng, one: "\n".join(f"<answer>{word}</answer>" for word in one.words),
}


def _rule(rng: Random, one: Batch) -> str:
    example = "For three questions a reply looks like this: yes;no;skip"
    options = ";".join("yes/no/skip" for _ in one.words)
    return rng.choice((example, "I answer each with yes, no or skip.", options))


def _refusal(rng: Random, one: Batch) -> str:
    said = (
        "I'm sorry, I cannot answer these.",
        "No image was given; I see nothing; please retry.",
        "I can't see.",
    )
    return f"{rng.choice(said)} {rng.choice(REMARKS)}"


def _at_odds(rng: Random, one: Batch) -> str:
    yes, no = (";".join(word for _ in one.words) for word in ("yes", "no"))
    return f"{yes}\n\nFinal answer: {no}\n\nAnswer: {yes}"


def _cut_object(rng: Random, one: Batch) -> str:
    return _object(rng, one)[: -rng.randint(4, 20)]


UNMATCHED: Writers = {
    "too few": lambda rng, one: ";".join(one.words[: rng.randint(1, len(one.words) - 1)]),
    "too many": lambda rng, one: ";".join((*one.words, *rng.choices(("yes", "no"), k=rng.randint(1, 3)))),
    "too few in lines": lambda rng, one: "\n".join(one.words[:-1]) + rng.choice(("", "\n", ".")),
    "cut object": _cut_object,
    "rule": _rule,
    "refusal": _refusal,
    "questions back": lambda rng, one: "; ".join(asked.question for asked in one.scenes),
    "two rows at odds": _at_odds,
    "words in prose": lambda rng, one: " ".join(
        fill(rng, "Maybe {s}, or {t}.", asked, Verdict.YES) for asked in one.scenes
    ),
    "hedged each": lambda rng, one: "; ".join(
        f"{rng.choice(('maybe', 'probably', 'possibly'))} {rng.choice(('yes', 'no'))}" for _ in one.words
    ),
}
