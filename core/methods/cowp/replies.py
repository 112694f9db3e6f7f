"""Read a language model's free replies (a yes or no, a name, one of several things) and what people tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from core.belief import Verdict
from core.knowledge.apply import NAME
from core.open_world.prompts import NOTHING_UNUSUAL, PromptKind, listed
from core.open_world.situations import mentions
from core.text.untrusted_text import one_line
from core.vqa.replies.answer_lexicon import is_refusal
from core.vqa.replies.cleaning import clean_reply
from core.vqa.replies.reply_parser import parse_verdicts

LONGEST = 200  # characters of a situation
_LONGEST = 40  # of a predicate's name
_UNUSUAL = r"(?:unusual|out of (?:the )?(?:ordinary|place)|wrong|amiss|special|strange|odd|abnormal)"
_NOTHING = re.compile(
    r"(?:no|none|nothing)\W*|no,? .*\bnothing\b.*|(?:although |while )?nothing (?:else |stands out).*"
    rf"|i (?:do not|don't|cannot|can't) (?:see|notice|find) anything(?: \w+){{0,2}} {_UNUSUAL}\b.*"
    rf"|.*\bnothing\b(?: \w+){{0,4}} {_UNUSUAL}\b.*|(?:i (?:can )?see|there(?: is|'s)) nothing\b.*"
    r"|(?:everything|all)\b(?: \w+){0,3} (?:is|looks|seems|appears)"
    r" (?:as usual|as expected|normal|fine|in order)\b.*"
)
_EXCEPTION = re.compile(
    r"[,;]? \b(?:except(?: that| for)?|apart from|other than|but|only|however),? |; |, (?=the (?!robot\b))"
)
_DENIES = re.compile(
    r"\b(?:not|no|none|nothing|never|cannot|neither|nor|against|avoid|instead of|rather than|than|except|but"
    r"|without|too|unsuitable|useless|unfit|though|although)\b|n't\b"
)
# Of a thing, as no picture was asked about; "not sure enough" is of the model.
_ENOUGH = re.compile(r"\b(?:good|big|large|strong|sturdy|deep|wide|tall|clean|safe|suitable) enough\b", re.I)


@lru_cache(maxsize=4096)
def yes_or_no(reply: str) -> Verdict:
    """Return what the reply says; UNKNOWN for what is no answer, such as "a robot can find a glass"."""
    return read_verdicts(reply, 1)[0]


def read_verdicts(reply: str, count: int) -> tuple[Verdict, ...]:
    """Return what a reply says to each of `count` questions."""
    return parse_verdicts(_ENOUGH.sub("suitable", reply), count)


def told_in(reply: str) -> str:
    """Return the situation that a model tells of, in one line; "" for a refusal, or nothing unusual."""
    text = (clean_reply(reply) or "").strip()
    sentence = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    words = sentence.lower().strip(" .!\"'")
    said = sentence.strip(" .!\"'")
    if (found := _EXCEPTION.search(words)) and _NOTHING.fullmatch(words[: found.start()]):
        words, said = words[found.end() :], said[found.end() :]
    if not words or _NOTHING.fullmatch(words) or is_refusal(words):
        return ""
    return one_line(said[:1].lower() + said[1:], LONGEST)


def interpret(purpose: str, asked: str, reply: str) -> str:
    """Return how the reply to a prompt of this purpose is read, for people and the log."""
    if purpose == PromptKind.PREDICATE.value:
        return predicate_in(reply)
    if purpose == PromptKind.CHOICE.value:
        return one_line(reply, 80)
    if purpose == PromptKind.LOOK.value:
        return told_in(reply) or NOTHING_UNUSUAL
    if questions := listed(asked):
        read = [verdict.value for verdict in read_verdicts(reply, len(questions))]
        return ", ".join(f"{read.count(said)} {said}" for said in dict.fromkeys(read))
    return yes_or_no(reply).value


def line_of(reply: str, number: int) -> str:
    """Return the line of a numbered reply with this number; the whole reply if there is none."""
    found = re.search(rf"^\W{{0,3}}{number}\s?[.):\]-]+\s*(\S.*)$", reply, re.MULTILINE)
    return found[1] if found else reply


def predicate_in(reply: str) -> str:
    """Return the first legal predicate's name of the reply's first line, "" if there is none."""
    lines = (clean_reply(reply) or "").strip().splitlines()
    words = re.findall(r"[a-z][a-z0-9_-]*", lines[0].split("->")[-1].lower()) if lines else []
    named = [w for w in words if "_" in w and len(w) <= _LONGEST and NAME.fullmatch(w)]
    return named[0] if named else ""


def named_thing(reply: str, things: Iterable[str]) -> str | None:
    """Return the one of these names that the reply chooses; None for none, for several, or for one that is
    ruled out: "not a mug".

    A name within a longer one that is there does not count: the "bowl" of "dish bowl".
    """
    longest = sorted(things, key=len, reverse=True)
    text = reply.lower()
    found = []
    for thing in longest:
        if mentions(text, thing):
            found.append(thing)
            text = re.sub(rf"(?<![\w-]){re.escape(thing.lower())}(?![\w-])", "\0", text)
    if len(found) != 1:
        return None
    choice = re.split(r",? (?:because|since|as|so)\b", text, maxsplit=1)[0]
    return None if _DENIES.search(choice) else found[0]


_DANGER = re.compile(
    r"\b(?:fire|flames?|burning|burns|smoke|smoking|gas|explo\w*|blood|bleed\w*|hurt|injured|danger\w*"
    r"|child(?:ren)?|kids?|baby|toddler|person|people|persons|somebody|someone|man|woman|boy|girl|visitor"
    r"|(?:an?|my|your|his|her) (?:hand|arm|finger|cat|dog|pet)|feuer|brennt|rauch|kind|mensch|person)\b"
)
_DENIED = re.compile(
    r"\b(?:(?:is|are|was|were) (?:not|no longer|never)|isn't|aren't|wasn't|weren't)\b"
    r"(?! (?:found|in sight|visible|there|here|at hand|available|working|where)\b)"
)
_TWO = re.compile(r"\b(?:and|but|while|und)\b|[,;]")


def unusable(said: str, objects: Sequence[str], named_in: Sequence[Sequence[str]]) -> str:
    """Return in one sentence why nothing may follow from a situation, "" if something may.

    `objects` are those that it names, `named_in` those that each of its clauses names.
    """
    words = said.lower()
    if _DANGER.search(words):
        return f"“{said}” may put somebody in danger: look for yourself before the robot goes on."
    if _DENIED.search(words):
        return f"“{said}” says what is not so: tell what is unusual instead, such as “the cup is dirty”."
    if sum(bool(named) for named in named_in) > 1 and len(objects) > 1:
        return f"“{said}” tells of several things at once: tell one after the other."
    return ""


def clauses(said: str) -> list[str]:
    """Return the parts of a sentence that are joined by "and" or a comma."""
    return [part for part in _TWO.split(said) if part.strip()]
