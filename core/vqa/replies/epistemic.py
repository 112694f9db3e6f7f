"""Tell what a sentence says about the scene from what it says about knowing it.

After "yes" or "no" stands a reason. If that speaks of the picture itself, of the question, of what a person
knows or can do, or of what would be needed, nothing is answered: "no, there is too little detail".
"""

from __future__ import annotations

import re

from core.belief import Verdict

_KNOWING = re.compile(  # what one knows, or would need to know
    r"\b(?:whether|evidence|proof|information|indications?|visibility|clarity|certainty|uncertainty"
    r"|ambigu\w*|inconclusive|incomplete|insufficient|unresolved|undecided|unlikely|unknowns?|unavailable"
    r"|unreadable|unverified|unconfirmed|unproven|borderline|reservations|somewhere|guesswork|a guess"
    r"|assumptions?|speculat\w*|(?:only|just|merely|i am|i'm) guessing|rumou?r|metadata|file ?name|glare"
    r"|lens|pitch[- ]black|vouch|quote me|who knows|god knows|anyone's guess|coin toss|ruled out|as if"
    r"|for all (?:i|we) (?:know|can)|as far as anyone|a (?:small |good |fair |slim )?chance|by default"
    r"|on balance|in a way|in all (?:likelihood|probability)|as a rule|no (?:telling|saying|knowing)"
    r"|(?:tough|close|hard|difficult|judge?ment) call|(?:all|is|just|only) (?:a )?(?:blur|noise)"
    r"|cropped|upload\w*|analy[sz]ing|received|(?:finished|still|done) loading"
    r"|(?:block|hide|cover|obscure)s? everything|too (?:dark|dim|far away(?! from)|distant)"
    r"|camera (?:is )?(?:pointing|pointed|aimed|facing|turned|covered|blocked|off|dirty|dark)"
    r"|well enough|nothing (?:\w+ )?(?:can|could) be (?:said"
    r"|seen|told)|(?:lack|absence) of|(?:no|little|more|fine|sufficient|further) details?|too (?:little|few"
    r"|much|many|blur\w*|grainy|noisy|vague)|(?:needed|required|necessary) to|(?:hard|difficult|tough"
    r"|tricky) for|(?:more|better|another|clearer|closer|different|sharper) (?:picture|image|photo|view"
    r"|angle|look|camera)|(?:no|any|only|better|other|a) (?:\w+ )?(?:way|means) (?:to|of)|(?:tell|say"
    r"|(?<!me )know|see|determine|decide|judge|verify|confirm|find out|figure out) (?:\w+ )?if)\b"
)
_NOT_KNOWN = re.compile(
    r"(?:\bnot|n't|\bnever)\b(?: sufficient|[^,;.]{0,40}\benough|(?: \w+)? (?:verified|proven|confirmed"
    r"|verifiable))\b"
)
_CANNOT = re.compile(
    r"\bi(?:'m| am| would|'d| will|'ll) (?:afraid|sorry|rather|prefer)\b"
    r"|\bmy (?:view|abilit|guidelines|knowledge|training|capabilit|position|apologies)"
    r"|\b(?:guidelines|polic(?:y|ies)|access to|for me to|against (?:my|the|our))\b"
)
_PERSON = re.compile(
    r"\b(?:i|we|you|one(?= (?:can|could|may|might|must|would|does|sees"
    r"|cannot)\b))(?:'\w+)?(?![\w'])(?! am not guessing)(?P<does>(?: (?:also|just|now|still|not|can|could"
    r"|cannot|can't|couldn't|do|does|did|don't|didn't|have|haven't|am"
    r"|\w+ly)(?![\w']))*) ?(?:(?P<sees>(?:see|sees|saw|seen|spot|notice|observe|count|find|found|looked"
    r"|detect|recogni[sz]e|perceive)\b(?! (?:what|how|where|why|into|inside|behind|past|through|(?:your"
    r"|this|the|that|any|an|a) (?:\w+ )?(?:image|picture|photo|question|point|attachment)\b)))"
    r"|(?P<sure>(?:certain|sure|confident|positive|confirm|verify|verified|checked|say|know(?! (?:what|how"
    r"|where|why)\b)|no doubt|go(?:es)?|looked)\b|(?:asked|ask|said|mention\w*|wanted|suggest\w*)\b))?"
)
_NEGATED = re.compile(r"\bnot\b|n't\b|\bcannot\b|\bhardly\b|\bscarcely\b")
_PICTURE = re.compile(  # "no, the picture is dark": what is said of the picture is not said of the scene
    r"(?:^\W*(?:(?:unfortunately|sadly|regrettably|alas)\W+)?|[,;:]\s*"
    r"|\b(?:because|since|as|but|that|and|yet|although|though|however) )(?=(?P<begins>(?:there is "
    r"|there's |this is |this (?:appears|seems) to be |that is |that's |these are |it's |the |this |that "
    r"|these |those |my |your |our |an? |both |its )?(?:not |no (?!question\b)|only )?(?:the |an? )?))"
    r"(?P=begins)(?:(?!no |without )\w+ )?(?:image"
    r"|picture|photo(?:graph)?|snapshot|screenshot|view(?:point)?|vantage point|angle|perspective"
    r"|resolution|image quality|focus|question|request|prompt|wording|field of view"
    r"|line of sight)\b(?!'s)(?! (?:\w+ly )?(?:also |only )?(?:does not |doesn't |do not )?(?:shows?"
    r"|depicts?|contains?|displays?|confirms?|indicates?)\b(?! (?:enough|nothing|(?:th(?:at|is) )?part|just"
    r"|the (?:out|back|front|top|side|exterior|edge|corner)))"
    r"| (?:suggests|asks|implies|goes|makes (?:it )?(?:clear|plain|obvious))\b"
    r"| is (?:sharp|clear|bright|not ideal"
    r"|(?:not |still |now )?(?:in|on|inside|under|at|next|behind|near|beside))\b)"
)
_MODAL = re.compile(
    r"\b(?:would|could|should|might|may|must|ought|needs? to|'d better)\b(?! see\b| be seen\b| expect)"
)
_BEGINS = re.compile(  # a request, or what takes back some of its answer
    r"\W*(?:please|at least(?! now)|or\b|assum\w*|let(?:'s| me| us)|do(?:n't| not)\b|try\b|ask\b|check\b"
    r"|depend|not (?:that|with|from|for|as far|unless|until|without|necessarily|always|sure|to)\b|(?:but"
    r"|yet|though|although|however) (?:i|you|we|only|that|then|please|do|don't)\b)"
)
_GENERAL = re.compile(  # what is so as a rule, was so before, or is said: not what is seen now
    r"\b(?:usually|normally|typically|generally|mostly|often|sometimes|commonly|in (?:most|many|some"
    r"|general)|inferred|earlier(?! pictures?\b)|previously|last time|used to|according to (?!the (?:image"
    r"|picture|photo))|going by|sa(?:ys|id)\b(?! so)|(?:lies?|is|are) (?:partly |partially )?(?:outside"
    r"|out of) the frame)\b"
)
_CAUSE_ALONE = re.compile(  # "no, due to the poor light", unlike "no, owing to the light one sees that ..."
    r"\W*(?:given(?! that)|due to|because of|owing to|on account of|at (?:about |around "
    r"|roughly )?\d+ ?(?:%|percent)|\w+ percent)\b(?!.*\b(?:is|are|was|were|being|has|have|sees?|seen|can"
    r"|holds?|stands?|lies?|rests?|sits?|contains?)\b)"
)
_UNSEEN = re.compile(
    r"\b(?:can't|cannot|can not|could not|couldn't) (?:\w+ly )?be (?!seen\b|reached\b|moved\b|opened\b"
    r"|closed\b)\w+(?:ed|n|d)\b|\b(?:this|that) (?:can't|cannot|can not) be\b|\bpart of the (?:room|scene"
    r"|image|picture) (?:is|was)n't\b|\b(?:description|candidates?|possibilities|grain of salt"
    r"|pinch of salt|resembl\w+|something (?:like|that|similar))\b"
    r"|\b(?:contents(?! are (?:clearly )?visible)|exterior|(?:the|its) outside|discern\w*|indistinct"
    r"|mystery|impression|glance|on the face of it)\b|\b(?:this|that)(?:'s| is|n't"
    r"| isn't) (?:not )?(?:hidden|shown|visible|known|something|only)\b|\bthis isn't\b|\bcan only be\b"
    r"|\bwhat(?:'s| is) (?:in|inside|within|under|behind|on)\b[^,;]{0,60} (?:cannot|can't|not|hidden"
    r"|unclear)\b"
    r"|\bor (?:something|someone|hidden|else)\b|\bframe (?:ends|cuts|stops|does)\b|\b(?:twenty|thirty|forty"
    r"|fifty|sixty|seventy) percent\b"
)
_ADVERB = re.compile(
    r"\W*(?!(?:clear|definite|absolute|certain|obvious|plain|evident|undoubted|unquestionab|sure|exact"
    r"|precise|total|complete|ful|entire|real|tru|direct|current|visib|on|firm|correct|final|unfortunate"
    r"|sad|surprising)l?ly\b)\w+ly(?: not)?\W*"
)
_COURTESY = re.compile(r"\W*(?:let me know|i hope|feel free|is there|would you like)\b")
_CONCEDED = re.compile(
    r"\W*(?:even though|even if|although|though|despite|in spite of|while)\b[^,:;]*[,:;]\s*(?=\w)"
)
_SURE = re.compile(
    r"(?<![\d.])(?P<before>[\d.]{1,9})\s*(?P<cent>%|percent)?[^\w.]*(?:of )?(?:sure|certain(?:ty)?"
    r"|confiden\w+|likel\w+"
    r"|chance|probab\w+)|(?:sure|certainty|confiden\w+|probab\w+|likel\w+)\W{1,4}(?:(?:is|of|score|level"
    r"|about|around|only|roughly|just|at)\W+)*(?:(?P<after>[\d.]{1,9})\s*(?P<percent>%|percent)?"
    r"|(?P<word>very low|low|medium|moderate|weak|poor))"
)
_SURE_ENOUGH = 0.8
_FIRST = re.compile(r"[^.!?;\n]*")
_NEGATIVE = (  # "is not closed" affirms
    r"(?:outside|out|closed|shut|empty|missing|absent|gone|blocked|covered|hidden|obstructed|obscured"
    r"|occluded|whole|intact|raw|uncut|off|only|just|elsewhere|away|alone|held|touching|supported|under"
    r"|below|beneath|anything|any|another|locked|buried)"
)
_DENIES = re.compile(  # "yes, the door is not open"
    r"(?:\W*(?:because|since|as|that|indeed|in the (?:image|picture|photo)|it is (?:true"
    r"|correct) that)\b[,:]? ?)*(?:it(?:'s| is) (?:not (?:true|the case)|false"
    r"|untrue)\b(?![^,;:.!?\n]*(?:\bnot\b|n't\b"
    rf"|\b{_NEGATIVE}\b|\bno\b))"
    r"|(?:the(?! other)|this|that|it(?!'s| is)|an?(?! other)|they|he|she|its|your|my)\b"
    r"[^,;:.!?\n–—]{0,60}?(?:\b(?:is|are|was|were|has|does|do|did) not|\b(?:is|are|was|were|has|does|do"
    r"|did)n't)\b"
    rf"(?!(?: \w+)? {_NEGATIVE}\b)"
    r"|there(?:'s| is| are)(?: no| not an?| not any| none|n't an?|n't any)\b(?! (?:other|more|further|doubt"
    r"|question|obstacle|person|people|lid|object|item|thing|block)s?\b)(?![^,;:.!?\n]*\b(?:of (?:it|them)"
    r"|else|top|above|between)\b))"
)
_ASKS = re.compile(
    r"\b(?:am|do|can|could|would|should|shall|did|have|may|might) (?:i|we|you|one|this|that"
    r"|it)\b(?! (?:\w+ )?see\b)|\b(?:certain|sure(?!,)|possible|obvious|confident|answer(?:ed|able)"
    r"|determin\w+|decidable|enough|blurr\w*|usable|needs?\w*|clarification|retry|cached|stream(?:ing)?|ok"
    r"|truncated|timeout|success|status|error|completed?|received|loaded|refused|can answer|(?:is|are"
    r"|was) (?:the|this|that|my|your) (?:image|picture|photo|view|question)(?! (?:\w+ )?(?:in|on|inside"
    r"|under|next|behind|at)\b)|occlu\w+|obstruct\w+|readable|legible|quality)\b"
)
_YES_OR_NO = re.compile(r"\byes\W{0,3}(?:or|and|nor|/)?\W{0,3}no\b")
_CONFIDENCE = re.compile(r"confiden|certain|\bsure|probab|likel")
_NOT_SO = re.compile(r"\W*not (?:visible|seen|there|shown|in|on|inside|at)\b")
_ONLY_THERE = re.compile(  # "yes, there is a fridge, but its inside is not visible"
    r"\W*(?:there(?:'s| is| are)|(?:this|the) (?:image|picture|photo) (?:shows|depicts)|i (?:can )?see)\b"
    r"[^:.!?\n]{0,80}?\b(?:but|yet|though|although|however)\b[^:.!?\n]{0,60}?(?:\bnot|n't) (?:\w+ )?"
    r"(?:visible|in view|shown|seen|in the (?:image|picture|photo|frame))\b"
)
_CLAUSES = re.compile(r"[,;:.!?\n]\s*|\s(?:and|but|yet|while)\s")
_NEGATION = re.compile(r"\bno longer\b|\bnot\b|n't\b|\bno\b")


def speaks_of_knowing(text: str) -> bool:
    """Return True if any sentence speaks of what is known or needed, or names a low confidence."""
    return bool(_KNOWING.search(text) or _NOT_KNOWN.search(text) or _CANNOT.search(text)) or _is_unsure(text)


def is_no_reason(text: str, verdict: Verdict, own_sentence: bool = False) -> bool:
    """Return True if the sentence that goes on after "yes," or "no," is not about the scene.

    A sentence of its own may remark on the picture.
    """
    first = _FIRST.match(text.lstrip(" ,:;.!"))
    said = _CONCEDED.sub("", first.group() if first else "", count=1)
    if any(_does_not_look(found, verdict) for found in _PERSON.finditer(said)):
        return not (own_sentence and _COURTESY.match(said))
    if own_sentence:
        return False
    return any(pattern.search(said) for pattern in (_GENERAL, _UNSEEN, _PICTURE, _MODAL, _YES_OR_NO)) or bool(
        _BEGINS.match(said) or _CAUSE_ALONE.match(said) or _ADVERB.fullmatch(said)
    )


def _does_not_look(found: re.Match[str], verdict: Verdict) -> bool:
    """Return True for a person who does anything but see, look or be certain."""
    denied = bool(_NEGATED.search(found["does"]))
    if found["sees"]:
        return denied and verdict is Verdict.YES
    return denied or not found["sure"]


def asks_of_knowing(text: str) -> bool:
    """Return True if a question or a label, followed by "no", is not about the scene: "is it certain?"."""
    text = text.rpartition(". ")[2].replace("the question whether", "")
    return bool(_KNOWING.search(text) or _NOT_KNOWN.search(text) or _ASKS.search(text))


def doubts_itself(key: str, value: object) -> bool:
    """Return True for an entry beside an answer that names a low confidence, such as "certain": false."""
    if not _CONFIDENCE.search(key):
        return False
    return value is False or value in ("no", "false") or speaks_of_knowing(f"{key}: {value}")


def denies_itself(reason: str, verdict: Verdict) -> bool:
    """Return True if a reason denies what it says, or after "yes" negates or only names what is there."""
    if verdict is Verdict.YES and any(one.match(reason) for one in (_DENIES, _NOT_SO, _ONLY_THERE)):
        return True
    clauses = {_affirmed(clause) for clause in _CLAUSES.split(reason) if len(clause.split()) > 2}
    return any((not denied, bare) in clauses for denied, bare in clauses)


def _affirmed(clause: str) -> tuple[bool, str]:
    """Return whether a clause has a negation, and the clause without it and without articles."""
    bare = _NEGATION.sub(" ", clause)
    return bare != clause, " ".join(word for word in bare.split() if word not in ("a", "an", "the"))


def _is_unsure(text: str) -> bool:
    found = _SURE.search(text)
    if not found:
        return False
    if found["word"]:
        return True
    number = (found["before"] or found["after"]).strip(".")
    try:
        share = float(number)
    except ValueError:
        return False
    return (share / 100 if found["cent"] or found["percent"] or share > 1 else share) < _SURE_ENOUGH
