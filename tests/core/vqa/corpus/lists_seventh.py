"""Several questions in the seventh corpus: lists as chat models lay them out, and as they fail to."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from core.belief import Verdict
from tests.core.vqa.corpus.scenes import Batch, Writers

Line = Callable[[int, str, str], str]


def _lines(
    line: Line, before: str = "", after: str = "", between: str = "\n"
) -> Callable[[Random, Batch], str]:
    def write(rng: Random, one: Batch) -> str:
        items = [
            line(n, word, about.question)
            for n, (word, about) in enumerate(zip(one.words, one.scenes, strict=True), 1)
        ]
        return before + between.join(items) + after

    return write


def _object(rng: Random, one: Batch) -> str:
    rows = [{"number": n, "answer": word} for n, word in enumerate(one.words, 1)]
    text = json.dumps({"answers": rows}, indent=rng.choice((None, 2)))
    return rng.choice((text, f"```json\n{text}\n```", f"Here are my answers:\n\n```json\n{text}\n```"))


def _explained(rng: Random, one: Batch) -> str:
    rows = []
    for n, (word, truth, about) in enumerate(zip(one.words, one.truths, one.scenes, strict=True), 1):
        why = rng.choice(about.unclear) if truth is Verdict.UNKNOWN else about.say(rng, truth)
        rows.append(f"{n}. **{word}** - {why}.")
    return "\n".join(rows)


def _thought_about(rng: Random, one: Batch) -> str:
    thoughts = " ".join(f"{about.question} {rng.choice(about.remarks)}" for about in one.scenes)
    return f"<think>{thoughts}</think>\n" + ";".join(one.words)


MATCHED: Writers = {
    "semicolons": _lines(lambda n, word, _: word, between=";"),
    "semicolons and an introduction": _lines(lambda n, word, _: word, "Answers: ", between="; "),
    "lines": _lines(lambda n, word, _: word),
    "numbered": _lines(lambda n, word, _: f"{n}. {word}"),
    "numbered in brackets": _lines(lambda n, word, _: f"({n}) {word}"),
    "questions and answers": _lines(lambda n, word, asked: f"{n}. {asked}\n   {word}"),
    "table": _lines(
        lambda n, word, asked: f"| {n} | {asked} | {word} |", "| # | Question | Answer |\n|---|---|---|\n"
    ),
    "object": _object,
    "explained": _explained,
    "thought about": _thought_about,
}


def _prompt_again(rng: Random, one: Batch) -> str:
    return "; ".join(about.question for about in one.scenes) + rng.choice(
        ("", "\nyes, no or skip?", "\nAnswers:")
    )


def _cannot(rng: Random, one: Batch) -> str:
    return rng.choice(
        (
            "I'm sorry, I can't answer these {n} questions about the {a}.",
            "No, I can't see an image, so none of the {n} questions about the {a} can be answered.",
            "Yes, I can answer all {n} questions! Please send the picture of the {a}.",
            "No problem, {n} answers about the {a} are on the way.",
            "None of the {n} can be determined: {u}.",
        )
    ).format(n=len(one.scenes), a=one.scenes[0].thing, u=rng.choice(one.scenes[0].unclear))


def _one_too_many(rng: Random, one: Batch) -> str:
    return ";".join((*one.words, rng.choice(("yes", "no"))))


def _each_a_guess(rng: Random, one: Batch) -> str:
    return "\n".join(
        f"{n}. maybe {rng.choice(('yes', 'no'))}, {rng.choice(about.unclear)}"
        for n, about in enumerate(one.scenes, 1)
    )


def _each_either(rng: Random, one: Batch) -> str:
    return "\n".join(f"{n}. {about.question} yes/no" for n, about in enumerate(one.scenes, 1))


UNMATCHED: Writers = {
    "the prompt again": _prompt_again,
    "none can be answered": _cannot,
    "one too many": _one_too_many,
    "each a guess": _each_a_guess,
    "each either": _each_either,
}
