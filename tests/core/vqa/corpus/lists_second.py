"""Replies to several questions, in forms thought of after the reader was changed for the first ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from tests.core.vqa.corpus.lists_first import reasoned
from tests.core.vqa.corpus.scenes import REMARKS, Batch, Writers


def rows(*forms: str, between: str = "\n") -> Callable[[Random, Batch], str]:
    """Return a writer of one part a question: `#` is its number, `?` its text, `@` the answer."""

    def write(rng: Random, one: Batch) -> str:
        form = rng.choice(forms)
        parts = enumerate(zip(one.scenes, one.words, strict=True), 1)
        return between.join(
            form.replace("#", str(number)).replace("?", asked.question).replace("@", word)
            for number, (asked, word) in parts
        )

    return write


def _row(*forms: str) -> Callable[[Random, Batch], str]:
    return lambda rng, one: (
        rng.choice(forms).replace("@", ";".join(one.words)).replace("$", rng.choice(REMARKS))
    )


def _reasoned(rng: Random, one: Batch) -> str:
    items = (reasoned(rng, one, number) for number in range(len(one.words)))
    return "; ".join(item.replace(". ", ", ").rstrip(".") for item in items)


def _with_reasons(rng: Random, one: Batch) -> str:
    words = enumerate(one.words, 1)
    return json.dumps(
        {"answers": [{"number": n, "reason": rng.choice(REMARKS), "answer": w} for n, w in words]}
    )


MATCHED: Writers = {
    "dashes": rows("# - @", "#: @", "#) @.", "# | @", "Question #: @", "[#] @"),
    "bold words": rows("#. **@**", "**#. @**", "- **Q#:** @", "**Answer #:** @"),
    "numbered, semicolons": rows("#. @", "#) @", "(#) @", "Q#: @", between="; "),
    "numbered, commas": rows("#. @", "#) @", "(#) @", "Q#: @", between=", "),
    "questions numbered": rows("#. ? @", "#) ? @."),
    "questions bold": rows("**?**\n@", "*?*\n@", between="\n\n"),
    "reasons in a row": _reasoned,
    "tags by number": rows("<answer_#>@</answer_#>"),
    "tag with a row": _row("$\n<answer>@</answer></s>", "$ <answer>@</answer>", "<answer>@</answer>\n$"),
    "objects by line": rows('{"number": #, "answer": "@"}'),
    "with reasons in JSON": _with_reasons,
    "a row with an end": _row("@<|eot_id|>", "@</s>", "@<end_of_turn>", "@\n\nExplanation: $"),
    "and": lambda rng, one: f"{', '.join(one.words[:-1])} and {one.words[-1]}{rng.choice(('', '.'))}",
}


def _one_word(rng: Random, one: Batch) -> str:
    form = rng.choice(("@", "@.", "<answer>@</answer>", '{"answer": "@"}', "All @.", "@ to all"))
    return form.replace("@", rng.choice(("yes", "no", "Yes", "No")))


def _left_out(rng: Random, one: Batch) -> str:
    return "\n".join(f"{n}. {word}" for n, word in enumerate((*one.words, "yes"), 1) if n != 2)


def _twice(rng: Random, one: Batch) -> str:
    return "\n".join(f"{min(n, len(one.words) - 1)}. {word}" for n, word in enumerate(one.words, 1))


UNMATCHED: Writers = {
    "one word": _one_word,
    "a number left out": _left_out,
    "a number twice": _twice,
    "options to each": rows("#. yes/no/skip"),
    "example first": _row("Example: @", "The format is: @", "A reply looks like this: @", "For example, @"),
    "questions only": rows("#. ?", "- ?"),
    "doubt in each": rows("#. @, but I'm not sure", "#. @, perhaps"),
    "one too many in JSON": lambda rng, one: json.dumps({"answers": [*one.words, "yes"]}),
}
