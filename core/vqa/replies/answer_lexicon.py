"""The vocabulary of replies: words that answer, hedge, retract or only decorate."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.belief import Verdict

_YES = {"yes", "y", "yeah", "yep", "yup", "true"}
_NO = {"no", "n", "nope", "nah", "false"}
_SKIP = {"skip", "s", "skipped", "pass", "n/a", "na", "?", "unknown", "unsure", "uncertain", "unclear"}
_SKIP |= {"undetermined", "indeterminate", "unanswerable", "maybe", "perhaps"}
_DOUBT = re.compile(
    r"(?:\bnot|n't|\bnever) (?:\w+ )?(?:sure|certain|confident|possible|know)\b"
    r"|(?:\bnot|n't) (?:\w+ )?clear (?:if|whether|from|enough|wh\w+|how|in (?:the|this) (?:image|picture))"
    r"|\b(?:unsure|uncertain|unclear|unknown|maybe|perhaps|possibly|probably|likely|might|may be|could be)\b"
    r"|\b(?:suppose|suspect|reckon|imagine|likelihood|odds|chances|hunch|i doubt|hope(?! it is correct)"
    r"|may|possible|doubts|low confidence|confidence is low|in theory|rule out|rely on|what little"
    r"|were it not|no longer (?:sure|certain))\b"
    r"|\b(?:not enough|insufficient|too little|no) (?:\w+ )?(?:information|detail|context|evidence)"
    r"|\b(?:not|n't) (?:\w+ )?(?:let|allow|permit|enable) (?:me|us|one|you|for|a)\b"
    r"|\b(?:not|n't) (?:\w+ )?(?:show|reveal|tell|say|indicate|specify) (?:\w+ )?(?:whether|if)\b"
    r"|\b(?:arguably|seemingly|apparently|allegedly|supposedly|conceivably|tentatively|ambiguous|inconclusive|debatable|questionable)\b"
    r"|\b(?:retract|take (?:it|that) back|ignore|disregard|forget)\b"
    r"|\b(?:double[- ]check|please (?:verify|check|confirm)|to (?:tell|judge|confirm|verify)|too \w+ to)\b"
    r"|\b(?:cannot|can't|couldn't|could not|do not|don't) (?:\w+ )?see (?:\w+ ){1,3}"
    r"(?:well|clearly|properly)\b|\bmade? out\b|\bi(?:'d| would)? need\b"
    r"|\b(?:send|upload|provide|attach|share|show)\b[^.\n]{0,20}\b(?:picture|image|photo)"
    r"|\b(?:guess|assum(?:e|ing)|believe|skip|presumably|depend(?:s|ing)|lean(?:ing)?)\b"
    r"|(?<!let's )(?<!let us )\bthink\b"
    r"|\b(?:hard|difficult|impossible|unable|not able) to\b"
    r"|\b(?:cannot|can not|can't|cant|couldn't|could not) (?:be )?(?:\w+ly )?"
    r"(?:tell|say|decide|determine|confirm|judge|verify|know|answer|sure|certain)"
    r"|\b(?:don't|do not) know\b|\bto be (?:sure|certain)\b|\bbe wrong\b"
    r"|\b(?:wait|hold on|on second thought|scratch that|let me correct|correction|i mean|my mistake)\b"
    r"|(?:^|[.,;:!?\n]\s{0,3}|\b(?:but|and|so) )actually\b"
    r"|(?:^|[,.;:!]\s{0,3})"
    r"(?:but )?(?:only )?"
    r"(?:partially|partly|sort of|kind of|more or less|not (?:exactly|really|quite)|almost)"
    r"\s{0,3}(?:$|[,.;:!])"
)
_NOT_CLEAR = re.compile(r"\b(?:it|this|that)(?:'s| is)? (?:not|isn't) (?:\w+ )?clear\b")
_CONDITION = re.compile(
    r"\W{0,9}(?:but )?(?:only )?"
    r"(?:if|unless|provided|(?:so|as) long as|in case|once|until|when(?:ever)?)\b"
)
_ACKNOWLEDGED = re.compile(
    r"\W{0,9}(?:(?:of course|sure|certainly|okay|ok)\W{0,9})?"
    r"(?:i understand|understood|got it|let(?:'s| me| us)(?! know)"
    r"|(?:i will|i'll|i can|i could|i shall) (?:now )?"
    r"(?:look|check|see if|examine|analy[sz]e|take|answer|reply|respond|help|try|do|start|begin|proceed)"
    r"|i(?:'m| am) (?:ready|here|happy|glad)|i(?:'d| would) (?:be happy|be glad|love|like) to"
    r"|i (?:have |'ve )?(?:got|received|read|see) (?:the|your|this) (?:\w+ )?(?:image|picture|photo|message)"
    r"|i(?:'m| am) listening|i (?:hear|know what)|(?:by all means\W{0,3})?ask"
    r"|go (?:ahead|on)|continue|next\b(?! to)|proceed|tell me|one moment|hello|hi|thanks?"
    r"|please (?:provide|upload|share|attach|send|show|ask|tell|give)"
    r"|(?:but )?first\b|i(?:'m| am) (?:an?|the)\b|i was|ready|sure thing|give me|you forgot|that can be"
    r"|[^.!?\n]{0,60}\b(?:(?<!no )(?<!out )question|instructions?|request|task|prompt))\b"
    r"|\W{0,9}(?:of course\W{0,9})?(?:what|which|where|how|do|did|can|could|would|shall|should)\b"
    r"[^.!?\n]{0,200}\?\W*$"
)
_NONE_OF_A_KIND = re.compile(  # "no other block is on top of it"
    r"no (?!(?:it|its|it's|he|she|they|there|this|that|these|those|the|an?|i|you|we|one|both|each|not|nothing"
    r"|none|yes|no|but|and|so|because|since|as)\b)(?:\w+ ){1,3}(?:is|are|was|can|lies|stands|sits|rests)\b"
)
_STATEMENT = re.compile(  # how a short remark about the picture begins
    r"(?!\W*\?)\W{0,9}(?:(?:and|but|so|as|because|since|for|here|indeed|\w+ly|instead|also|now|then|still|seeing"
    r"|given|although|while|that|where|hence|thus|overall|besides|note|rather|of course|sure enough|correct"
    r"|right|true|due|reason|reasoning|explanation|rationale|evidence|analysis|observations?|well)\b"
    r"\W{0,4}(?:to )?)*"
    r"(?:(?:the|an?|its|it|it's|isn't|there|there's|this|these|those|that's|they|they're|he|she|his|her|my"
    r"|your|both|all|each|every|one|some|only|many|most|another|neither|no|not|nothing|none|nobody|in|on|at"
    r"|inside|within|under|behind|above|below|near|next|by|from the|from this|based|looking|upon|according"
    r"|after|before|with|without|whose|let me know|i hope|image|picture|frame|object|block|robot|answer|final"
    r"|conclusion|confidence|step|visible|open|closed|[a-z]?\d+|is|are|was"
    r"|(?:i |we |you |one )?(?:can |could |can't |cannot )?(?:\w+ly )?"
    r"(?:see|count|notice|observe|find|found|looked|checked)"
    r"|i (?:am certain|know|have no|do not|don't))(?!\w)|\w+(?: \w+)?\)|$)"
)
_EXAMPLE = re.compile(
    r"\b(?:looks? like this|example|sample|format|the form|template|like so"
    r"|such as|says|said|reads)\b|\be\.g\."
)
_OPPOSITE = {
    Verdict.YES: re.compile(
        r"\b(?:not (?:correct|right|true)|incorrect|untrue|is (?:false|wrong)|answer (?:is|would be) no)\b"
        r"|(?:\bnot|n't) actually\b"
    ),
    Verdict.NO: re.compile(
        r"\b(?:that|this|it)(?:'s| is) (?:correct|right|true)\b|\banswer (?:is|would be) yes\b"
    ),
}
_REFUSAL = re.compile(
    r"\bsorry\b|\blanguage model\b|\bno (?:image|picture|photo)\b"
    r"|\b(?:image|picture|photo|camera) is (?:all )?(?:off|black|blank|empty|missing|corrupt\w*)"
    r"|\b(?:can't|cannot|can not|unable to|not able to) (?:help|assist|see (?:any |the )?(?:image|picture))"
    r"|\b(?:don't|do not) see any (?:image|picture)|\bi can (?:help|assist|answer)\b"
)
_BOTH = re.compile(
    r"\byes\W{1,9}(?:(?:or|and|nor)\W{1,9})?no\b|\bno\W{1,9}(?:(?:or|and|nor)\W{1,9})?yes\b|\bneither\b"
)
_LATER = re.compile(r"\w[.;\n]\s")
_CLAUSE = re.compile(r"[,.;:!?()\n–—]|\s-+\s")
_FRINGE = re.compile(r"^[^\w\[\](){}<\\]+")  # quotes, bullets, ticks
_BRACKETS = re.compile(r"[\[(]([^\[\](){}]*)[\])]")


def word_verdict(text: str) -> Verdict | None:
    """Return the verdict of a single answer word, else None."""
    text = normalise(text)
    if text in _YES:
        return Verdict.YES
    if text in _NO:
        return Verdict.NO
    return Verdict.UNKNOWN if text in _SKIP else None


def normalise(text: str) -> str:
    """Return the text without surrounding quotes, bullets, brackets and full stops."""
    text = text.strip()
    if text == "?":
        return text
    text = _FRINGE.sub("", text.rstrip(" \t\n.,;:!'”-|✓✔✅❌✗👍👎\ufe0f"), count=1)
    inner = _BRACKETS.fullmatch(text)
    return normalise(inner[1]) if inner else text


def hedges(text: str) -> bool:
    """Return True if a text hedges, or retracts what it said."""
    return bool(_DOUBT.search(text))


def retracts(reason: str, verdict: Verdict) -> bool:
    """Return True if the text after a verdict doubts it, makes it conditional, or contradicts it."""
    if hedges(reason) or _CONDITION.match(reason):
        return True
    if verdict is Verdict.NO:  # "no, it is not clear" may be about a block with another on top
        return bool(_OPPOSITE[verdict].search(reason))
    before, actually, _ = reason.partition("actually")
    later = bool(actually and _LATER.search(before))  # "yes, it is in c4. it is actually in c1"
    return later or bool(_NOT_CLEAR.search(reason) or _OPPOSITE[Verdict.YES].search(reason))


def only_acknowledges(reason: str) -> bool:
    """Return True if the text after a verdict shows that nothing is answered yet: "yes, let me check", "no,
    thanks".
    """
    return bool(_ACKNOWLEDGED.match(reason)) or not (_STATEMENT.match(reason) or len(reason.split()) > 3)


def is_refusal(text: str) -> bool:
    """Return True if a text says that no answer is possible, or that there is no picture."""
    return bool(_REFUSAL.search(text))


def shows_example(text: str) -> bool:
    """Return True if a text speaks of how a reply is to look, or of what others say."""
    return bool(_EXAMPLE.search(text))


def offers_both(text: str) -> bool:
    """Return True for "yes or no", "yes/no", "neither yes nor no" and the like."""
    return bool(_BOTH.search(text))


def contains_answer(text: str) -> bool:
    """Return True if any clause of a text begins like an answer, or ends with yes or no."""
    return any(True for _ in clause_verdicts(text))


def clause_verdicts(text: str, of_things: bool = True) -> Iterator[Verdict]:
    """Yield what the clauses of a text seem to answer, by their first word or a final yes or no.

    "No lid is in the way" answers nothing; without `of_things`, nor does "no" before any other word.
    """
    for clause in _CLAUSE.split(text):
        words = clause.split(maxsplit=1)
        if not words:
            continue
        first = word_verdict(words[0])
        of_a_thing = len(words) > 1 and words[0] == "no" and (not of_things or _NONE_OF_A_KIND.match(clause))
        if first is not None and not of_a_thing:
            yield first
        last = clause.rsplit(maxsplit=1)[-1]
        if last in ("yes", "no"):
            yield Verdict.YES if last == "yes" else Verdict.NO


def may_answer(text: str, of_things: bool = True) -> bool:
    """Return True if a text may concern a question: it answers (see `clause_verdicts`), hedges, asks back
    or shows how to answer."""
    return (
        "?" in text
        or hedges(text)
        or is_refusal(text)
        or shows_example(text)
        or any(True for _ in clause_verdicts(text, of_things))
    )
