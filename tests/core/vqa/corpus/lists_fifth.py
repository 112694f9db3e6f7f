"""Replies to several questions, written after the reader was last changed: never mend the reader by these."""

from __future__ import annotations

import json
from random import Random

from tests.core.vqa.corpus.lists_second import rows
from tests.core.vqa.corpus.scenes import REMARKS, Batch, Writers, fill


def _with_reasons(rng: Random, one: Batch) -> str:
    form = rng.choice(("{w}: {s}.", "{w} because {s}.", "**{w}** - {s}", "{w} ({s})."))
    pairs = zip(one.scenes, one.truths, strict=True)
    parts = ["skip" if truth.value == "unknown" else fill(rng, form, asked, truth) for asked, truth in pairs]
    return "\n".join(f"{number}. {part}" for number, part in enumerate(parts, 1))


def _after_list(rng: Random, one: Batch) -> str:
    remarks = "\n".join(f"- {rng.choice(REMARKS)}" for _ in one.words)
    return f"{remarks}\n\n{rng.choice(('Answer: ', 'Answers: ', ''))}{';'.join(one.words)}"


def _objects(rng: Random, one: Batch) -> str:
    found = [{"number": number, "answer": word} for number, word in enumerate(one.words, 1)]
    text = json.dumps({"answers": found}, indent=rng.choice((None, 2, 4)))
    return rng.choice(("{}", "```json\n{}\n```", "Here:\n{}", "{}</s>", "<answer>{}</answer>")).replace(
        "{}", text
    )


def _scrambled(rng: Random, one: Batch) -> str:
    found = [{"number": number, "answer": word} for number, word in enumerate(one.words, 1)]
    rng.shuffle(found)
    text = json.dumps({"answers": found}, indent=rng.choice((None, 2, 4)))
    return text[: rng.choice((None, -3, -5, -9, -20))] if rng.random() < 0.5 else f"```json\n{text[:-4]}\n```"


MATCHED: Writers = {
    "numbered with a cause": _with_reasons,
    "a row after a list": _after_list,
    "objects": _objects,
    "objects in any order, some cut": _scrambled,
    "numbers in brackets": rows("[#]: @", "(#): @", "#.- @", "<#> @"),
    "numbers and questions": rows("#) ? — @", "#. ? **@**", "#: ? @", "Q#: ?\nA#: @"),
    "tags in lines": rows("#. <answer>@</answer>", "<answer>@</answer>", "<answer>@.</answer>"),
    "a row with a question mark before": lambda rng, one: f"{one.scenes[0].question}? {';'.join(one.words)}",
    "a row with spaces": lambda rng, one: rng.choice((" ; ", "  ;  ", ";\t", " | ", " / ")).join(one.words),
}


def _one_less(rng: Random, one: Batch) -> str:
    words = one.words[:-1]
    return rng.choice(
        (json.dumps({"answers": words}), json.dumps(words), "; ".join(words) + ";", "\n".join(words))
    )


def _quarrel(rng: Random, one: Batch) -> str:
    first, then = (";".join(word for _ in one.words) for word in rng.sample(("yes", "no"), 2))
    return (
        rng.choice(("@\n\n#", "@\nAnswer: #", "<answer>@</answer>\n#")).replace("@", first).replace("#", then)
    )


UNMATCHED: Writers = {
    "one less": _one_less,
    "rows that quarrel": _quarrel,
    "each with a weak word": rows(
        "#. @, presumably", "#. @, perhaps", "#. I'd guess @", "#. @, if I'm not mistaken"
    ),
    "each as options": rows("#. yes/no", "#) yes | no | skip", "? [yes/no]"),
    "the question alone": rows("#) ?", "Q#: ?"),
    "one for all": lambda rng, one: rng.choice(
        ("Yes.", "no", "Yes to each.", "No for all of them.", "skip all", "yes, both")
    ),
    "numbers from nought and a gap": lambda rng, one: "\n".join(
        f"{n * 2}. {word}" for n, word in enumerate(one.words)
    ),
}
