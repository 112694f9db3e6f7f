"""Read a wish without a model: spatial English about the things of a scene, or what is not understood of it.

A clause is a verb, things and relations: "put all the fruits except the plum left of the line". Nothing is
guessed: one word that is not understood, and there is no wish.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.planning_model import Problem
from core.scene import SceneThing
from core.wishes.english import TABLE, Placement, Relation, english

_POSTURES = ("upright", "lying", "forward", "far_left", "far_right")  # of a thing itself
_OF_TWO = ("between", "in_line")
_Said = list[tuple[str, tuple[str, ...]]]  # relations, and what they are to


@dataclass
class Reading:
    placements: list[Placement] = field(default_factory=list)
    not_understood: list[str] = field(default_factory=list)

    @property
    def relations(self) -> tuple[Relation, ...]:
        return tuple(dict.fromkeys(r for p in self.placements for r in p.relations))


def read_words(words: str, problem: Problem, things: Sequence[SceneThing]) -> Reading:
    """Read a wish. Check `not_understood` first: with a word in it, the placements are not the wish."""
    reader = _Reader(words, problem, things)
    reader.read()
    if not reader.found.placements and not reader.found.not_understood:
        reader.found.not_understood.append(words.strip() or "nothing was said")
    reader.found.placements = _ordered(reader.found.placements)
    return reader.found


class _Reader:
    def __init__(self, words: str, problem: Problem, things: Sequence[SceneThing]) -> None:
        known = english()
        words_of = known.words
        self._all, self._articles = words_of["all"], words_of["articles"]
        text = words.lower().replace("-", " ").replace("’", "'")
        for said, meant in known.synonyms.items():
            text = re.sub(rf"\b{said}\b", meant, text)
        text = re.sub(r"\bset (?:(.+?) )?up\b(?! to)", lambda m: f"setup {m[1] or ''}", text)
        text = re.sub(r"\bstand up\b", "stand", text)
        text = re.sub(r"\bpour\b([^.,;]*?) out\b(?! of)", r"empty\1", text)
        text = re.sub(r"\b(lay|tip|empty|put|set|place)\b([^.,;]*?) (?:down|out)\b(?! of)", r"\1\2", text)
        self._verbs = {verb: kind for kind, verbs in known.verbs.items() for verb in verbs}
        self._fillers, self._breaks = words_of["fillers"], words_of["between_clauses"]
        self._relations = {tuple(pattern.split()): name for pattern, name in known.relations.items()}
        self._tokens = re.findall(r"[\w']+|[.,;()!?]", text)
        self._problem, self._movable = problem, problem.of_type("movable")
        self._words = {thing.name: _called(thing) for thing in things}
        self._known = {word for words in self._words.values() for word in words}
        self._axis = {thing.name: _long_axis(thing) for thing in things}
        self._kinds = {kind for thing in things for kind in thing.categories}
        self._at, self._with, self._into = 0, False, False
        self._it: tuple[str, ...] = ()  # what the last pronoun stood for
        self._mentioned: list[str] = []
        self._taken: tuple[str, ...] = ()  # in the hand, until it is said where to
        self._contents, self._soup = words_of["contents"], False  # the soup, not its can
        self._subject: tuple[str, ...] = ()
        self._object: tuple[str, ...] = ()
        self.found = Reading()

    # --- tokens ----------------------------------------------------------------------------------------

    def _peek(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place] if place < len(self._tokens) else "."

    def _take(self, *words: str) -> bool:
        if self._at < len(self._tokens) and self._peek() in words:
            self._at += 1
            return True
        return False

    def _lost(self, word: str) -> None:
        if word not in self.found.not_understood:
            self.found.not_understood.append(word)

    # --- clauses ---------------------------------------------------------------------------------------

    def read(self) -> None:
        verb, in_order = "", False
        while self._at < len(self._tokens):
            start, token = self._at, self._peek()
            if token in self._breaks or token in (",", "and"):
                in_order |= token == "then"
                self._at += 1
                self._with = token == "with"
                if self._at < len(self._tokens) and token in (".", ";", "(", ")", "!", "?", "with", "so"):
                    verb = ""
                continue
            if self._starts_relation() is None and token in self._verbs:
                verb, self._it = self._verbs[token], ()
                self._at += 1
            elif token in self._fillers and not self._starts_thing() and self._starts_relation() is None:
                self._at += 1
                continue
            self._clause(verb, in_order)
            in_order = False
            if self._at == start:
                self._lost(self._peek())
                self._at += 1
        for thing in self._taken:
            self._lost(thing.replace("_", " "))

    def _clause(self, verb: str, in_order: bool) -> None:
        """Read things and their relations. Without things, the relations are of the last ones."""
        began = self._at
        subject = self._things() if self._starts_thing() else ()
        soup = self._soup and bool(subject)
        moved = bool(verb) or not subject
        if subject:
            self._subject, previous = subject, self._subject
        else:
            subject, previous = self._subject, ()
        while self._peek() in self._fillers and self._starts_relation() is None:
            self._at += 1
        stands = self._take("stand", "stands")
        relations: _Said = []
        while (name := self._starts_relation()) is not None:
            self._at += len(self._pattern())
            relation, _, other = name.partition(" ")
            self._into = relation == "inside"
            if other == "it":
                relations.append((relation, previous if self._with else self._pronoun(subject)))
            elif other == "same":
                relations.append((relation, self._object))
            elif relation in _POSTURES:
                relations.append((relation, ()))
            else:
                relations.append((relation, self._things(subject, 1 + (relation in _OF_TWO))))
                self._object = relations[-1][1]
            if self._peek() in (",", "and") and self._starts_relation(1) is not None:
                self._at += 1
        if verb == "stand" or stands:
            relations.append(("upright", ()))
        if verb == "lay":
            relations.append(("lying", ()))
        if verb == "empty" and not relations:
            relations.append(("on", (TABLE,)))
        if soup and verb != "empty" and {name for name, _ in relations} == {"inside"}:
            verb = "pour"
        if self._take("except"):
            self._take("for")
            left_out = self._things(subject)
            subject = tuple(name for name in subject if name not in left_out)
        if subject and not relations and (verb == "take" or self._peek() == "so"):
            self._taken += subject
            return
        if not relations or not subject:
            for word in self._tokens[began : self._at]:
                if word not in self._articles:
                    self._lost(word)
            return
        for thing in subject:
            self._place(thing, verb, relations, moved and not stands, in_order)

    def _place(self, thing: str, verb: str, relations: _Said, moved: bool, in_order: bool) -> None:
        self._taken = tuple(name for name in self._taken if name != thing)
        if thing not in self._movable:
            self._lost(thing.replace("_", " "))
            return
        made = []
        for name, others in relations:
            if name in _POSTURES:
                axis = "" if name.startswith("far") else self._axis[thing]
                made.append(Relation(name + axis, (thing,)))
            elif (
                not others
                or thing in others
                or (name in _OF_TWO and len(others) != 2)
                or (verb in ("pour", "empty") and name not in ("on", "inside"))
            ):
                self._lost(name.replace("_", " "))
            elif verb in ("pour", "empty"):
                made += [Relation("emptied" if o == TABLE else "poured", (thing, o)) for o in others]
            elif name in _OF_TWO:
                made.append(Relation(name, (thing, *others)))
            else:
                vessels = self._problem.of_type("vessel")
                for other in others:
                    flat = name == "inside" and other not in vessels
                    made.append(Relation("on" if flat else name, (thing, other)))
        if len({r.args[1] for r in made if r.name in ("on", "inside")}) > 1:
            self._lost("and")  # a thing is in one place
        if made and all(len(r.args) == 1 for r in made):
            made.append(Relation("on", (thing, TABLE)))
        last = next((p for p in reversed(self.found.placements) if p.thing == thing and not p.pours), None)
        if last is not None and not moved:
            last.relations += [r for r in made if r not in last.relations]
        elif made:
            self.found.placements.append(Placement(thing, list(dict.fromkeys(made)), in_order))

    # --- relations and things ----------------------------------------------------------------------------

    def _pattern(self, ahead: int = 0) -> tuple[str, ...]:
        here = self._tokens[self._at + ahead : self._at + ahead + 6]
        return next((p for p in self._relations if list(p) == here[: len(p)]), ())

    def _starts_relation(self, ahead: int = 0) -> str | None:
        pattern = self._pattern(ahead)
        if pattern == ("to",) and not self._is_thing(self._at + ahead + 1):
            return None  # "I want to", "to be"
        return self._relations.get(pattern)

    def _is_thing(self, place: int) -> bool:
        while place < len(self._tokens) and self._tokens[place] in (*self._articles, *self._all):
            place += 1
        token = self._tokens[place] if place < len(self._tokens) else "."
        return (
            token in ("it", "them") or self._tokens[place - 1] == "everything" or bool(self._meant(token)[0])
        )

    def _starts_thing(self) -> bool:
        return self._is_thing(self._at)

    def _meant(self, token: str) -> tuple[frozenset[str], bool]:
        """Return the things that a word may mean, and whether it is a plural."""
        if token in self._known:
            return frozenset(n for n, words in self._words.items() if token in words), False
        for one in (token[:-1], token[:-2]):
            if token.endswith("s") and one in self._known:
                return frozenset(n for n, words in self._words.items() if one in words), True
        return frozenset(), False

    def _things(self, subject: tuple[str, ...] = (), least: int = 1) -> tuple[str, ...]:
        """Read "the pear, the apple and all fruits except the plum"; with a `subject`, what it is put at."""
        found = list(self._group(subject))
        while self._peek() in (",", "and"):
            ahead = 2 if self._peek(1) == "and" else 1
            if not self._is_thing(self._at + ahead):
                break
            if subject and self._peek() == "," and len(found) >= least and self._begins_clause(ahead):
                break
            back, mentioned = self._at, list(self._mentioned)
            self._at += ahead
            more = self._group(subject)
            while self._peek() in self._fillers and subject and self._starts_relation() is None:
                self._at += 1
            if subject and self._starts_relation() is not None:  # "... and the apple in front of it"
                self._at, self._mentioned = back, mentioned
                break
            found += more
        return tuple(dict.fromkeys(found))

    def _begins_clause(self, ahead: int) -> bool:
        """Return True if a list of things and a relation follow: ", and the knife and the fork in it"."""
        listed = (",", "and", *self._articles, *self._all)
        while self._peek(ahead) in listed or self._meant(self._peek(ahead))[0]:
            ahead += 1
        return self._peek(ahead - 1) not in (",", "and") and self._starts_relation(ahead) is not None

    def _group(self, subject: tuple[str, ...]) -> tuple[str, ...]:
        if self._take("it", "them", "itself"):
            if not subject and not self._subject:
                self._lost("it")
            return self._pronoun(subject) if subject else self._subject
        everything = one = False
        while self._peek() in (*self._articles, *self._all):
            everything |= self._peek() in self._all
            one |= self._peek() in ("a", "an", "some")
            self._at += 1
        meant, plural = frozenset(self._movable), False
        start = self._at
        kind = self._soup = True
        while self._meant(self._peek())[0] and not (self._at > start and self._starts_relation() is not None):
            of_word, many = self._meant(self._peek())
            kind &= many or self._peek() in self._kinds
            self._soup &= self._peek() in self._contents
            narrower = of_word if self._at == start else meant & of_word
            if not narrower:
                break
            meant, plural = narrower, plural or many
            self._at += 1
        if self._at == start and not (everything and self._tokens[start - 1] == "everything"):
            self._lost(self._peek())
            return ()
        if self._take("else"):
            meant -= frozenset(self._mentioned)
        if self._peek() == "that" and self._peek(1) in ("is", "are"):
            self._at += 2
            absent = self._take("not")
            self._take("a", "an")
            of_word = self._meant(self._peek())[0]
            if of_word:
                self._at += 1
            else:
                self._lost(self._peek())
            meant = meant - of_word if absent else meant & of_word
        if (everything or plural) and self._take("except", "but"):
            self._take("for")
            meant -= frozenset(self._things(subject))
            everything = True
        kind &= not one
        if len(meant) > 1 and not (everything or plural or kind):
            meant = meant & frozenset(self._mentioned) or meant  # "the can", said before
        if len(meant) > 1 and not (everything or plural or kind):
            self._lost(" ".join(self._tokens[start : self._at]))
            return ()
        names = tuple(sorted(meant))
        self._mentioned += [n for n in names if n != TABLE]
        return names

    def _pronoun(self, subject: tuple[str, ...]) -> tuple[str, ...]:
        """Return what "it" is: as after the same verb before, else the last that was spoken of."""
        vessels = self._problem.of_type("vessel") if self._into else self._words
        names = [name for name in (*self._mentioned, *self._it) if name not in subject and name in vessels]
        if not names:
            self._lost("it")
        self._it = tuple(names[-1:])
        return self._it


def _called(thing: SceneThing) -> frozenset[str]:
    name = ("table",) if thing.name == TABLE else thing.name.split("_")
    return frozenset((*name, *thing.categories))


def _long_axis(thing: SceneThing) -> str:
    """Return "" for what stands on its bottom, else the axis that is up where it stands: a fork's."""
    longest = max(range(3), key=lambda i: thing.half[i])
    return ("_x", "_y", "")[longest] if thing.half[longest] > 1.2 * thing.half[2] else ""


def _ordered(placements: list[Placement]) -> list[Placement]:
    """Return them so that each thing comes after those that it is put beside, unless the wish says "then"."""
    done: list[Placement] = []
    left = list(placements)
    while left:
        ready = next((p for p in left if not _waits(p, left)), left[0])
        first = next(p for p in left if p.thing == ready.thing)
        left.remove(first)
        done.append(first)
    return done


def _waits(placement: Placement, left: list[Placement]) -> bool:
    """Return True if what it is put on, or beside, is still to be put somewhere."""
    beside = {p.thing for p in left if not p.in_order} - {placement.thing}
    under = {p.thing for p in left} - {placement.thing}
    around = (r for r in placement.relations if r.name not in ("inside", "poured", "emptied"))
    return any((under if r.name == "on" else beside).intersection(r.args[1:]) for r in around)
