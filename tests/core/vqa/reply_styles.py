"""Replies made of parts, with what each of them means: the ways in which models really write.

The parts were labelled, and put together here, before the reader was changed for them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random

OPPOSITE = {"yes": "no", "no": "yes"}
SAYS = {"yes": "y", "no": "n", "skip": "?"}

REASONS = {
    "yes": [
        "the red block is directly above the blue block",
        "the mug stands in the sink",
        "the drawer is pulled out and its inside can be seen",
        "there is nothing on top of it",
        "the block is actually in column c4",
        "no other block stands on it",
        "it has been cut into two halves",
    ],
    "no": [
        "the block is not in column c4. It is actually in c1",
        "the cabinet is closed",
        "there is no mug in the sink",
        "block b1 is not clear, as b2 stands on it",
        "the gripper does not hold anything",
        "no block is in that column",
        "the egg is still whole",
    ],
}
STEPS = [
    "1. Find the red block: it is in column c1.\n2. Column c4 is empty.",
    "Step 1: Look for the mug.\nStep 2: It stands beside the plate.",
    "- The fridge stands against the wall.\n- Its handle points to the left.",
    "Let's think step by step. The image shows a kitchen with a table and a sink.",
    "To answer this, let's look at the columns. The red block is at the bottom of the first one.",
    "**Reasoning:** The picture shows three blocks in a row.",
]
FINALS = [
    "Answer: {}",
    "**Answer**: {}.",
    "**Answer:** {}",
    "Final answer: **{}**",
    "### Answer\n{}",
    "Therefore, the answer is {}.",
    "So, the final answer is {}.",
    "Thus, the answer is **{}**.",
    "The answer is: {}.",
    "**Final Answer:** {}.",
    "In conclusion, {}.",
    "Therefore, {}.",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "The final answer is $\\boxed{{\\text{{{}}}}}$.",
    "Conclusion: {}",
]
TAGS = [
    "",
    "</user>",
    "</s>",
    "<|im_end|>",
    "</assistant>",
    "<|endoftext|>",
    "<eos>",
    "</response>",
    "\n</user>",
]
ALONE = [
    "{}",
    "{}.",
    "**{}**",
    '"{}"',
    "`{}`",
    "({})",
    "{}!",
    "- {}",
    "> {}",
    "{}\n",
    "\\boxed{{{}}}",
    "<answer>{}</answer>",
    "<answer>\n{}\n</answer>",
    '{{"answer": "{}"}}',
    "```\n{}\n```",
    '```json\n{{"answer": "{}"}}\n```',
    "Answer: {}",
    "The answer is {}.",
    "Final answer: {}",
    "A: {}",
    "Response: {}",
    "$\\boxed{{{}}}$",
    "{{'answer': '{}'}}",
]
LEADING = [
    "{}, {}.",
    "{}. {}.",
    "{} - {}.",
    "{}: {}.",
    "**{}**, {}.",
    "{}.\n\n{}.",
    "{}\n\nExplanation: {}.",
    "Answer: {}\nReason: {}.",
    "<answer>{}</answer>\n{}.",
    "```\n<answer>{}</answer>\n```\nExplanation: {}.",
    "{} because {}.",
    "<answer>{}</answer>\n<explanation>{}.</explanation>",
]
HEDGES = [
    "{}, probably.",
    "{}, I think.",
    "I think {}.",
    "Maybe {}.",
    "{}, but I am not sure.",
    "{}, perhaps.",
    "{}, but it is hard to tell from this angle.",
    "Possibly {}.",
    "I would guess {}.",
    "{}? I cannot tell.",
    "{}, if the handle counts.",
    "It depends, but {}.",
    "{}, although it might be hidden.",
    "Most likely {}.",
    "{}, unless it is behind the door.",
    "{}, assuming that is the mug.",
    "Answer: probably {}",
    "{}, more or less.",
    "The answer could be {}.",
    "The answer may be {}.",
    "I believe the answer is {}.",
    "{}, presumably.",
    "If it is the red one, {}.",
    "If so, the answer is {}.",
    "{}... hold on.",
    "{}. Wait, let me look again.",
    "It is unclear. {}.",
    "I cannot determine this from the image. {}.",
    "The answer is not {}.",
    "The answer is {} only if the door counts.",
    "I'm unsure, but {}.",
    "{}, sort of.",
    "{}, I assume.",
    "Neither {} nor the other.",
    "Leaning {}.",
    "My best guess: {}",
    "{}, it seems likely.",
    "Uncertain. Answer: {}",
    "It is not certain. Therefore, the answer is {}.",
    "{}? Perhaps.",
]
ECHOES = [
    "Yes or No",
    "yes or no?",
    "Yes/No",
    "[yes/no]",
    "Answer yes or no.",
    "Please answer with yes or no.",
    "Is the block in c4? Answer yes or no.",
    "<answer>yes or no</answer>",
    "Answer: yes or no",
    "yes, no or skip",
    "Answer with 'yes', 'no' or 'skip'.",
    "Options: yes, no",
    "(A) Yes (B) No",
    "A. Yes\nB. No",
    "yes | no",
    '{"answer": "yes or no"}',
    '{"answer": "yes/no"}',
    "Question: Is the block in c4?\nOptions: yes, no",
    "The answer is either yes or no.",
    "Respond with yes or no only.",
    "Is the block in c4?",
    "Y/N",
    "yes no",
]


@dataclass(frozen=True)
class Made:
    """A reply to `count` questions, and what it means: y, n or ? for each of them."""

    style: str
    count: int
    means: str
    text: str


def made() -> tuple[Made, ...]:
    """The same replies every time, without doubles."""
    everything = [*_clear_ones(), *_unclear_ones(), *_several(), *_several_unclear()]
    return tuple({(one.count, one.text): one for one in everything}.values())


def _cased(word: str) -> list[str]:
    return [word, word.capitalize(), word.upper()]


def _clear_ones() -> Iterator[Made]:
    for verdict in ("yes", "no"):
        means, reasons = SAYS[verdict], REASONS[verdict]
        for form, word, tag in product(ALONE, _cased(verdict), TAGS):
            yield Made("alone", 1, means, form.format(word) + tag)
        for form, reason, tag in product(LEADING, reasons, TAGS[:3]):
            if (
                verdict == "yes"
                and reason.startswith("no ")
                and form.startswith(("{}.", "{} -", "{}:", "{}\n", "{},", "**"))
            ):
                continue  # "Yes. No other block" is a matter of taste
            yield Made("with a reason", 1, means, form.format(verdict.capitalize(), reason) + tag)
        for steps, final, word in product(STEPS, FINALS, _cased(verdict)[:2]):
            yield Made("reasons first", 1, means, f"{steps}\n\n{final.format(word)}")
        for form, reason, final in product(
            ["{}.\n\n{}.\n\n", "{}. {}. ", "**{}**, {}.\n"], reasons, FINALS[5:9] + FINALS[10:12]
        ):
            if verdict == "yes" and reason.startswith("no "):
                continue
            said = form.format(verdict.capitalize(), reason.capitalize())
            yield Made("first and last", 1, means, said + final.format(verdict))


def _unclear_ones() -> Iterator[Made]:
    for verdict, hedge, tag in product(("yes", "no"), HEDGES, TAGS[:3]):
        yield Made("hedged", 1, "?", hedge.format(verdict).capitalize() + tag)
    for echo, tag in product(ECHOES, TAGS):
        yield Made("echoed", 1, "?", echo + tag)
    for verdict in ("yes", "no"):
        other = OPPOSITE[verdict]
        for reason, final in product(REASONS[verdict], FINALS):
            said = final.format(other)
            yield Made("contradicted", 1, "?", f"{verdict.capitalize()}. {reason.capitalize()}. {said}")
            yield Made("contradicted", 1, "?", f"{verdict.capitalize()}, {reason}.\n\n{said}")
        for first, second in product(FINALS, FINALS):
            yield Made("contradicted", 1, "?", f"{first.format(verdict)}\n{second.format(other)}")
        for steps, reason in product(STEPS, REASONS[verdict]):
            yield Made("says nothing", 1, "?", f"{steps}\n\n{reason.capitalize()}.")


JOINED = {
    "as asked": ";".join,
    "lines": lambda words: "\n".join(words),
    "numbered": lambda words: "\n".join(f"{n}. {word}" for n, word in enumerate(words, 1)),
    "numbered in a line": lambda words: " ".join(f"{n}. {word}" for n, word in enumerate(words, 1)),
    "numbered with dashes": lambda words: "\n".join(f"{n} - {word}" for n, word in enumerate(words, 1)),
    "bold numbers": lambda words: "\n".join(f"**{n}.** {word}." for n, word in enumerate(words, 1)),
    "brackets": lambda words: "\n".join(f"({n}) {word}" for n, word in enumerate(words, 1)),
    "letters": lambda words: "\n".join(f"{chr(96 + n)}) {word}" for n, word in enumerate(words, 1)),
    "questions": lambda words: "\n".join(f"Question {n}: {word}" for n, word in enumerate(words, 1)),
    "tags": lambda words: "\n".join(f"<answer>{word}</answer>" for word in words),
    "one tag": lambda words: f"<answer>{';'.join(words)}</answer>",
    "JSON": lambda words: json.dumps(
        {"answers": [{"number": n, "answer": w} for n, w in enumerate(words, 1)]}
    ),
    "JSON lines": lambda words: "\n".join(
        json.dumps({"number": n, "answer": w}) for n, w in enumerate(words, 1)
    ),
    "JSON by number": lambda words: json.dumps({str(n): w for n, w in enumerate(words, 1)}),
    "Python": lambda words: str([{"number": n, "answer": w} for n, w in enumerate(words, 1)]),
    "after reasons": lambda words: (
        f"The mug is on the shelf and the door is shut.\n\nAnswers: {'; '.join(words)}"
    ),
    "after steps": lambda words: (
        "\n".join(f"{n}. Object {n} stands on the table." for n in range(1, len(words) + 1))
        + f"\n\nAnswer: {';'.join(words)}"
    ),
    "repeated": lambda words: "\n".join(f"Is block b{n} in c4? {word}" for n, word in enumerate(words, 1)),
}
UNALIGNED = {
    "as asked",
    "lines",
    "one tag",
    "after reasons",
    "after steps",
    "repeated",
}  # one part lost loses all
AFTER = ["", "</user>", "</s>", "\n\nExplanation: the door is shut.", "\n\nLet me know if you need more."]


def _several() -> Iterator[Made]:
    luck = Random(15)
    for (style, join), after, count in product(JOINED.items(), AFTER, (2, 3, 5)):
        for _ in range(3):
            words = [luck.choice(["yes", "no", "skip", "Yes", "No"]) for _ in range(count)]
            means = "".join(SAYS[word.lower()] for word in words)
            yield Made(f"several, {style}", count, means, join(words) + after)
    for count in (2, 3, 4):
        for _ in range(40):
            words = [luck.choice(["yes", "no"]) for _ in range(count)]
            lines = [f"{n}. {w.capitalize()}, {luck.choice(REASONS[w])}." for n, w in enumerate(words, 1)]
            fair = [not (w == "yes" and ", no " in line) for w, line in zip(words, lines, strict=True)]
            if all(fair):
                yield Made(
                    "several, with reasons", count, "".join(map(SAYS.__getitem__, words)), "\n".join(lines)
                )


def _several_unclear() -> Iterator[Made]:
    luck = Random(16)
    for (style, join), count in product(JOINED.items(), (2, 3, 5)):
        words = [luck.choice(["yes", "no"]) for _ in range(count)]
        fewer, more = words[:-1], [*words, "yes"]
        yield Made(f"too few, {style}", count, "?" * count, join(fewer) if len(fewer) > 1 else fewer[0])
        yield Made(f"too many, {style}", count, "?" * count, join(more))
        place = luck.randrange(count)
        for hedge in ("probably yes", "I cannot tell", "maybe", "not sure"):
            some = [*words]
            some[place] = hedge
            means = "".join("?" if n == place else SAYS[w] for n, w in enumerate(words))
            yield Made(f"one hedged, {style}", count, means, join(some))
        some = [*words]
        some[place] = "yes or no"
        means = "".join("?" if n == place or style in UNALIGNED else SAYS[w] for n, w in enumerate(words))
        yield Made(f"one echoed, {style}", count, means, join(some))
        turned = [OPPOSITE[word] for word in words]
        yield Made(
            "contradicted list", count, "?" * count, f"{join(words)}\n\nFinal answer: {';'.join(turned)}"
        )
