"""What one piece of a reply says: yes, no, not sure, or nothing that is an answer."""

from __future__ import annotations

import re

from core.facts import Verdict

_YES = {"yes", "y", "yeah", "yep", "yup", "true"}
_NO = {"no", "n", "nope", "nah", "false"}
_SKIP = {"skip", "s", "skipped", "pass", "n/a", "na", "?", "unknown", "unsure", "uncertain", "unclear"}
_SKIP |= {"undetermined", "indeterminate", "unanswerable", "maybe", "perhaps"}
_DOUBT = re.compile(
    r"\b(?:not|n't|never) (?:\w+ )?(?:sure|certain|confident|clear|possible|know)\b"
    r"|\b(?:unsure|uncertain|unclear|unknown|maybe|perhaps|possibly|probably|likely|might|may be|could be)\b"
    r"|\b(?:guess|assume|think|believe|skip)\b"
    r"|\b(?:hard|difficult|impossible|unable|not able) to\b"
    r"|\b(?:cannot|can not|can't|cant|couldn't|could not) (?:be )?(?:\w+ly )?"
    r"(?:tell|say|determine|confirm|judge|verify|know|answer|sure|certain)"
    r"|\b(?:don't|do not) know\b|\b(?:wait|actually)\b"
)
_REFUSAL = re.compile(
    r"\bsorry\b|\blanguage model\b|\bno (?:image|picture|photo)\b"
    r"|\b(?:can't|cannot|can not|unable to|not able to) (?:help|assist|see (?:any |the )?(?:image|picture))"
    r"|\b(?:don't|do not) see any (?:image|picture)"
)
_CLAUSE = re.compile(r"[,.;:!?()\n–—]|\s-+\s")
_REASON = re.compile(
    r"\s*(?:[,.:;!(\n–—]|--|\s-\s)[\s.,:;!–—-]*(?P<reason>.*)"
    r"|\s+(?P<plain>(?:it|it's|its|the|they|there|this|that)\b.*)",
    re.DOTALL,
)
_ECHO = re.compile(r"[^?\n]+\?\W*(?=\w)")
_LEAD = re.compile(
    r"[^:;?\n{\[<]{0,60}\banswers?\b[^:;?\n{\[<]{0,60}:\s*"
    r"|(?:so )?(?:the |my )?(?:final )?answers? (?:is|are)\b:?\s*|(?:a|assistant|response)\s*:\s*"
)
_LABEL = re.compile(r"(?P<label>[^:?\n{}\[\]<>]{1,80}):\s*(?P<value>[a-z/]+)")
_FRINGE = re.compile(r"^[^\w\[\](){}<\\]+")  # quotes, bullets, ticks
_AFTER = " \t\n.,;:!'”-|✓✔✅❌✗"
_BRACKETS = re.compile(r"[\[(]([^\[\](){}]*)[\])]")


def word(text: str) -> Verdict | None:
    """The verdict of a lone answer word, else None."""
    text = tidy(text)
    if text in _YES:
        return Verdict.YES
    if text in _NO:
        return Verdict.NO
    return Verdict.UNKNOWN if text in _SKIP else None


def answer(text: str) -> Verdict | None:
    """What a piece of lower-case text says about one question.

    "yes", "no, the door is shut", "is it open? no", "answer: yes" say so; "skip", "i cannot tell" and
    "yes, probably" say UNKNOWN. None: this is no answer, or it is two, or a refusal.
    """
    text = _bare(tidy(text))
    if _REFUSAL.search(text):
        return None
    alone = word(text)
    if alone is not None:
        return alone
    first = re.match(r"[a-z]+", text)
    verdict = word(first.group()) if first else None
    if first and verdict is not None and len(first.group()) > 1:
        reason = _REASON.fullmatch(text, first.end())
        if reason is None or re.fullmatch(r"no\.\s*\d.*", text, re.DOTALL):
            return None
        why = reason["reason"] or reason["plain"] or ""
        if answers(why):
            return None
        return Verdict.UNKNOWN if _DOUBT.search(why) else verdict
    if answers(text):
        return _labelled(text)
    return Verdict.UNKNOWN if _DOUBT.search(text) else None


def speaks(text: str) -> bool:
    """Whether a text may say anything about a question: it answers, doubts, or asks in its turn."""
    return "?" in text or bool(_DOUBT.search(text) or _REFUSAL.search(text)) or answers(text)


def answers(text: str) -> bool:
    """Whether any clause of a text begins like an answer, or ends with yes or no."""
    clauses = [words for clause in _CLAUSE.split(text) if (words := clause.split())]
    return any(word(words[0]) is not None or words[-1] in ("yes", "no") for words in clauses)


def tidy(text: str) -> str:
    """Without the quotes, bullets, brackets and full stops around it."""
    text = text.strip()
    if text == "?":
        return text
    text = _FRINGE.sub("", text.rstrip(_AFTER), count=1)
    inner = _BRACKETS.fullmatch(text)
    return tidy(inner[1]) if inner else text


def _bare(text: str) -> str:
    """Without the question repeated before its answer, and without "the answer is"."""
    for lead in (_LEAD, _ECHO, _LEAD):
        found = lead.match(text)
        if found and found.end() < len(text) and not speaks(found.group().replace("?", "")):
            text = tidy(text[found.end() :])
    return text


def _labelled(text: str) -> Verdict | None:
    """ "cup in view: yes" """
    found = _LABEL.fullmatch(text)
    return word(found["value"]) if found and not speaks(found["label"]) else None
