"""Read what a part of a reply, from a word to many sentences, says about one question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache

from core.belief import Verdict
from core.vqa.replies.answer_lexicon import (
    clause_verdicts,
    contains_answer,
    hedges,
    is_refusal,
    may_answer,
    normalise,
    offers_both,
    only_acknowledges,
    retracts,
    word_verdict,
)
from core.vqa.replies.epistemic import asks_of_knowing, denies_itself, is_no_reason, speaks_of_knowing

MAX_SENTENCES = 200  # about one question; a text of 10,000 characters has some 120
_REASON = re.compile(
    r"\s*(?:[,.:;!(\[\n–—]|--|//|\s[-|]\s)[\s.,:;!–—-]*(?P<reason>.*)"
    r"|\s+(?P<plain>(?:it|it's|its|the|they|there|this|that|these|those|i|we|you|because|since|due|as"
    r"|indeed)\b.*)",
    re.DOTALL,
)
_CORRECTS = re.compile(
    r"\b(?:correction|(?:no,? )?wait|hold on|scratch that|sorry|i mean(?:t)?|on second thoughts?"
    r"|on closer inspection|looking again|at first|initially|i first|that (?:was|is) (?:wrong|incorrect)"
    r"|let me correct"
    r"(?: that| myself)?)\b"
)
_FINAL_LABEL = re.compile(r"\b(?:final|correct|right) answer\b")
_FINAL = re.compile(
    r"(?:^|(?<=[.!?\n]))\s*(?:so,? |therefore,? |thus,? )?(?:(?:the|my) )?"
    r"(?:(?:final|correct|right) answer|(?<=so the )answer)(?: is)?\s*:?\s*(?P<last>yes|no)\W*$"
)
_BUT = re.compile(
    r"[.!;\n]\s+(?:but|however|though|although|yet|still)\b[\s,]*(?:to be honest\b[\s,]*)?([^.!?;\n]+)"
)
_STOP = re.compile(r"\s*[.!\n]")
_ECHO = re.compile(r"[^?\n]+\?\W*(?=\w)")
_LEAD = re.compile(
    r"[^:;?\n{\[<]{0,60}\banswers?\b[^:;?\n{\[<]{0,60}:\s*"
    r"|(?:so )?(?:the |my )?(?:final )?answers? (?:is|are)\b:?\s*|(?:a|assistant|response)\s*:\s*"
)
_ANSWER_TO = re.compile(
    r"(?:(?:so|therefore|thus|hence),? )?(?:the |my )?(?:\w+ )?answer to (?:the question:?|your question:?"
    r"|this question:?)?"
    r"\s*(?P<question>[^?\n]{3,200})\?\W{0,3}(?:is|would be)\b:?\s*(?=(?:yes|no)\b)"
)
_LABEL = re.compile(r"(?P<label>[^:?\n{}\[\]<>]{1,80}):\s*(?P<value>[a-z/]+)")
_SENTENCES = re.compile(
    r"\n+|(?<=[.!?])\s+|;\s*"
    r"|,\s(?=(?:(?:so|therefore|thus|hence|and|which means|meaning) (?:that )?)?"
    r"the (?:final |correct )?answer (?:is|would))"
)
_CONCLUDES = re.compile(
    r"(?:so|therefore|thus|hence|consequently|accordingly|in conclusion|in summary|to conclude|overall"
    r"|as a result|which means|meaning|and)\b,?\s*(?:that )?"
)
_CONDITIONAL = re.compile(
    r"(?:if|unless|when(?:ever)?|suppos\w*|in case|(?:as|so) long as|once|until|should|were|had)\b"
)
_OPENING = re.compile(
    r"(?:(?:hello|hi|(?:great|good) question)[,.!]\s*(?=yes\b|no\b))?(?:(?:sure|certainly|of course|okay"
    r"|ok|alright|all right|well"
    r"|thank you(?: for the (?:image|picture|photo))?|thanks(?: for the (?:image|picture"
    r"|photo))?)\b[,.!:]*\s*){0,2}"
)
_CLOSING = re.compile(
    r"(?<=[.!\n])\s*(?:i hope (?:this|that|it) helps|would you like me to (?:describe|explain|elaborate"
    r"|tell you more)[^?\n]*)\W*$"
)
_LEADS_IN = re.compile(
    r"(?:based on|from|according to|in|(?:upon )?(?:looking at|examining|considering)|given"
    r"|judging (?:by|from)) (?:the|this|that|your) [\w ]{1,40},\s*"
)
_LABELS = re.compile(
    r"(?:the |my )?(?:final |correct |right |short )?(?:answer|ans|conclusion|verdict|result)"
    r"(?: to (?:the|this|your) question)?\s*(?:(?:is|would be)\b\s*:?|[:=]|\s[-–—>]+\s)[\s\"'(]*"
    r"|(?:it's |it is |that's |that is )?an? (?:clear |definite |firm |simple |definitive )?(?=(?:yes|no)\b)"
    r"|i answer:? (?=(?:yes|no)\b)"
    r"|(?:definitely|clearly|certainly|absolutely|obviously|plainly|simply put|in short|without question"
    r"|without (?:a|any) doubt|beyond doubt)\b,?:? (?=(?:yes|no)\b)"
)
_NUMBERED = re.compile(r"no\.\s*\d")  # "no. 1"
_INSTANCE = re.compile(r"e\.?g\b|i\.?e\b|for (?:example|instance)\b")
_OPTION = re.compile(r"[(\[]?[a-d][)\].:]+\s+(?=(?:yes|no)\b)")


@lru_cache(256)  # a line is read in several ways
def read_verdict(text: str) -> Verdict | None:
    """Return what a piece of lower-case text says about one question.

    "yes", "no, the door is shut", "is it open? no" and "answer: yes" are verdicts; "skip", "i cannot tell"
    and "yes, probably" are UNKNOWN. None: no answer, two answers, or a refusal.
    """
    text = _CLOSING.sub("", text)
    bare = _strip_question(normalise(text))
    if is_refusal(bare) or _INSTANCE.match(bare) or _NUMBERED.match(bare):
        return None
    found = _leading_verdict(bare)
    if found is None:
        found = _agreed_verdict(text)
    if found is None:
        found = _corrected_verdict(bare)
    if found is None and hedges(bare) and not _SENTENCES.search(bare) and not _says_both(bare):
        return Verdict.UNKNOWN  # "probably yes"
    return found


def _leading_verdict(text: str) -> Verdict | None:
    """Return the verdict of the first word if the rest only gives the reason for it."""
    alone = word_verdict(text)
    if alone is not None:
        return alone
    first = re.match(r"[a-z]+", text)
    verdict = word_verdict(first.group()) if first else None
    if first and verdict is not None and len(first.group()) > 1:
        reason = _REASON.fullmatch(text, first.end())
        if reason is None:
            return None
        why = reason["reason"] or reason["plain"] or ""
        if contains_answer(why) or only_acknowledges(why):
            return None
        own_sentence = bool(_STOP.match(text, first.end()))
        return Verdict.UNKNOWN if _voids(why, verdict, own_sentence) or retracts(why, verdict) else verdict
    if contains_answer(text):
        return _labelled_verdict(text)
    return Verdict.UNKNOWN if hedges(text) else None


def _voids(reason: str, verdict: Verdict, own_sentence: bool = False) -> bool:
    """Return True if a reason is none, or shows that "yes" or "no" before it was no answer."""
    return (
        speaks_of_knowing(reason)
        or denies_itself(reason, verdict)
        or is_no_reason(reason, verdict, own_sentence)
        or any(is_no_reason(but, Verdict.YES) for but in _BUT.findall(f". {reason}"))
    )


def _corrected_verdict(text: str) -> Verdict | None:
    """Return the final answer of a reply that took another one back: "no. wait, (...). final answer: yes"."""
    final = _FINAL.search(text)
    before = text[: final.start()] if final else ""
    if not final or not _CORRECTS.search(before) or offers_both(text) or _FINAL_LABEL.search(before):
        return None
    before = _CORRECTS.sub(" ", before)
    return None if hedges(before) or speaks_of_knowing(before) else word_verdict(final["last"])


def _says_both(text: str) -> bool:
    return offers_both(text) or {Verdict.YES, Verdict.NO} <= set(clause_verdicts(text))


def declared_verdicts(text: str) -> Set[Verdict]:
    """Return the verdicts of all sentences that do nothing but answer."""
    return {said.verdict for piece in _pieces(text) if (said := _declared(piece))}


@dataclass(frozen=True)
class _Declaration:
    """A verdict. `announcement` holds the words that introduce it, "" for none; `reason` what follows it."""

    verdict: Verdict
    announcement: str
    reason: str


def _agreed_verdict(text: str) -> Verdict | None:
    """Return the single verdict of sentences that state it first or last, or announce it ("therefore").

    No other sentence may answer, ask or hedge, and the same announcement must not occur twice, since that
    would make two answers.
    """
    pieces = list(_pieces(text))
    if len(pieces) > MAX_SENTENCES:
        return None
    while len(pieces) > 1 and pieces[0].endswith("?") and not _is_beside_the_point(pieces[0].rstrip("?")):
        del pieces[0]  # the question, repeated
    found = [_declared(piece) for piece in pieces]
    said = [one for one in found if one is not None]
    if offers_both(text) or len({one.verdict for one in said}) != 1:
        return None
    verdict = said[0].verdict
    announced = [one.announcement for one in said if one.announcement]
    alone = [place for place, one in enumerate(found) if one is not None and not one.announcement]
    last = len(pieces) - 1
    if len(set(announced)) < len(announced) or len(alone) > 1:
        return None
    if alone and alone[0] and (alone[0] < last or word_verdict(pieces[last]) is None):
        return None
    if any(_CONDITIONAL.match(piece) or piece.endswith("?") for piece in pieces):
        return None
    if any(only_acknowledges(one.reason) for one in said):
        return None
    if any(one.reason and _voids(one.reason, verdict) for one in said):
        return Verdict.UNKNOWN
    if (
        alone == [0]
        and len(pieces) > 1
        and not said[0].reason
        and not found[1]
        and only_acknowledges(pieces[1])
    ):
        return None
    if any(list(clause_verdicts(one.reason, of_things=False)) and not _is_repetition(one) for one in said):
        return None  # "yes, yes"
    rests = [piece if one is None else one.reason for piece, one in zip(pieces, found, strict=True)]
    others = (hint for rest in rests for hint in clause_verdicts(rest, of_things=not announced))
    if any(hint is not verdict for hint in others):
        return None
    if alone and _voids("\n".join(filter(None, rests[alone[0] :])), verdict, own_sentence=not said[0].reason):
        return Verdict.UNKNOWN
    return Verdict.UNKNOWN if retracts("\n".join(rests), verdict) else verdict


def _is_repetition(declaration: _Declaration) -> bool:
    """Return True for a verdict repeated as its own reason: "yes, the answer is yes"."""
    again = _declared(normalise(declaration.reason))
    return (
        again is not None
        and bool(again.announcement)
        and again.verdict is declaration.verdict
        and not again.reason
    )


def _pieces(text: str) -> Iterator[str]:
    text = _OPENING.sub("", normalise(text), count=1)
    return (piece for piece in map(normalise, _SENTENCES.split(text)) if piece)


def _declared(piece: str) -> _Declaration | None:
    """Return the declaration of a sentence that begins with a verdict or with words announcing one."""
    start, announced = 0, []
    for lead in (_OPTION, _LEADS_IN, _CONCLUDES, _LEADS_IN, _LABELS):
        if found := lead.match(piece, start):
            start = found.end()
            if lead in (_CONCLUDES, _LABELS):
                announced.append(found.group().strip(" ,:"))
    rest = piece[start:]
    verdict = word_verdict(rest)
    if verdict is not None:
        return _Declaration(verdict, " ".join(announced), "")
    first = re.match(r"[a-z]+", rest)
    verdict = word_verdict(first.group()) if first and len(first.group()) > 1 else None
    if not first or verdict is None:
        return None
    reason = _REASON.fullmatch(rest[first.end() :].lstrip("'\")]"))
    if reason is None:
        return None
    return _Declaration(verdict, " ".join(announced), reason["reason"] or reason["plain"] or "")


def _strip_question(text: str) -> str:
    """Return the text without a repeated question or "the answer is" before the answer."""
    named = _ANSWER_TO.match(text)
    if named and not _is_beside_the_point(named["question"]):
        text = normalise(text[named.end() :])
    for lead in (_LEAD, _ECHO, _LEAD):
        found = lead.match(text)
        if found and found.end() < len(text) and not _is_beside_the_point(found.group().replace("?", "")):
            text = normalise(text[found.end() :])
    return text


def _is_beside_the_point(lead: str) -> bool:
    """Return True if a repeated question or a label could itself be an answer, or asks about knowing."""
    return may_answer(lead) or asks_of_knowing(lead)


def _labelled_verdict(text: str) -> Verdict | None:
    """Return the verdict of a labelled answer: "cup in view: yes"."""
    found = _LABEL.fullmatch(text)
    return (
        word_verdict(found["value"])
        if found and not _CONDITIONAL.match(text) and not _is_beside_the_point(found["label"])
        else None
    )
