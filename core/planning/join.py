"""Enumerate all bindings of variables for which literals hold, by joining facts.

A variable is tried only with values that some fact allows, given the variables bound before it. Bindings are
enumerated in the order of the variables, and by name for each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter

from core.belief import Atom
from core.planning_model import EQUALS, Literal, Typed
from core.work import work_in_force

Values = tuple[str, ...]  # objects that some variables are bound to
_Table = dict[Values, dict[str, None]]


class FactIndex:
    """Facts, indexed by predicate and by any combination of arguments that is requested."""

    def __init__(self, atoms: Iterable[Atom]) -> None:
        self._facts: dict[str, set[Values]] = {}
        self._tables: dict[str, dict[tuple[Values | tuple[int, ...], int], _Table]] = {}
        self._by_pattern: dict[tuple[str, tuple[int, ...]], dict[Values, list[Atom]]] = {}
        for predicate, args in atoms:
            self._facts.setdefault(predicate, set()).add(args)

    def matching(self, pattern: Literal) -> list[Atom]:
        """Return the facts that match a pattern, sorted; facts must not be added later."""
        places = tuple(n for n, term in enumerate(pattern.args) if not term.startswith("?"))
        key = pattern.predicate, places
        if key not in self._by_pattern:
            found = self._by_pattern[key] = {}
            for args in sorted(self._facts.get(pattern.predicate, ())):
                bound = tuple([args[place] for place in places])
                found.setdefault(bound, []).append(Atom(pattern.predicate, args))
        return self._by_pattern[key].get(tuple([pattern.args[place] for place in places]), [])

    def holds(self, predicate: str, args: Values) -> bool:
        return args in self._facts.get(predicate, ())

    def add(self, atom: Atom) -> None:
        predicate, args = atom
        self._facts.setdefault(predicate, set()).add(args)
        for (places, target), table in self._tables.get(predicate, {}).items():
            key = tuple(args[place] for place in places)  # type: ignore[index]
            table.setdefault(key, {})[args[target]] = None

    def table(self, predicate: str, places: tuple[int, ...], target: int) -> _Table:
        """Return a map from the arguments at `places` to those at `target`, sorted by name."""
        known = self._tables.setdefault(predicate, {})
        if (places, target) not in known:
            found: dict[Values, set[str]] = {}
            for args in self._facts.get(predicate, ()):
                found.setdefault(tuple([args[place] for place in places]), set()).add(args[target])
            known[places, target] = {key: dict.fromkeys(sorted(names)) for key, names in found.items()}
        return known[places, target]


def matches(atom: Atom, pattern: Literal) -> bool:
    """Return True if a fact matches a pattern, whose variables mean "any"."""
    return atom.predicate == pattern.predicate and all(
        p.startswith("?") or p == a for p, a in zip(pattern.args, atom.args, strict=True)
    )


class Join:
    """The bindings for which all literals hold; the first `given` variables are already bound.

    A variable whose type is "" takes whatever the literals allow, of which one must be positive.
    """

    def __init__(
        self,
        variables: Sequence[Typed],
        literals: Iterable[Literal],
        objects: Callable[[str], Sequence[str]],
        given: int = 0,
    ) -> None:
        names = [v.name for v in variables]
        self._choices = [dict.fromkeys(objects(v.type)) if v.type else None for v in variables]
        self._given = given
        self._sources: list[list[tuple[str, tuple[int, ...], int, Callable[[Values], Values]]]]
        self._sources = [[] for _ in names]
        self._checks: list[list[tuple[str, Callable[[Values], Values], bool]]]
        self._checks = [[] for _ in range(len(names) + 1)]
        for literal in literals:
            bound = [names.index(a) if a in names else -1 for a in literal.args]
            last = max(bound, default=-1)
            known = literal.positive and literal.predicate != EQUALS
            if not known or last < given or bound.count(last) > 1:
                check = (literal.predicate, projector(literal.args, names), literal.positive)
                self._checks[max(last + 1, given)].append(check)
            if known:
                for number in {n for n in bound if n >= given}:
                    places = tuple(p for p, n in enumerate(bound) if n < number)
                    pick = projector([literal.args[p] for p in places], names)
                    target = bound.index(number)
                    self._sources[number].append((literal.predicate, places, target, pick))

    def run(self, index: FactIndex, start: Values = ()) -> Iterator[Values]:
        """Yield the bindings that begin with `start`. Raises TooMuchWork, Cancelled."""
        return self.over(index)(start)

    def over(self, index: FactIndex) -> Callable[[Values], Iterator[Values]]:
        """Return the same for these facts, to be asked about one `start` after the other."""
        spend = work_in_force().spend
        sources = [[(index.table(p, places, t), pick) for p, places, t, pick in s] for s in self._sources]
        count = len(self._choices)

        # It is handed itself: a function that closes over itself, and so its tables, waits for the collector.
        def extend(values: Values, again: Callable[..., Iterator[Values]]) -> Iterator[Values]:
            number = len(values)
            for predicate, pick, positive in self._checks[number]:
                args = pick(values)
                truth = args[0] == args[1] if predicate == EQUALS else index.holds(predicate, args)
                if truth is not positive:
                    return
            if number == count:
                yield values
                return
            choice = self._choices[number]
            options = [] if choice is None else [choice]
            for table, pick in sources[number]:
                found = table.get(pick(values))
                if found is None:
                    return
                options.append(found)
            if len(options) == 1:
                if len(options[0]) > 1:  # what does not branch is paid for where it branched
                    spend(len(options[0]))
                for name in options[0]:
                    yield from again((*values, name), again)
            else:
                options.sort(key=len)
                first, *others = options
                if len(first) > 1:
                    spend(len(first))
                for name in tuple(first):
                    if all(name in other for other in others):
                        yield from again((*values, name), again)

        def begin(start: Values) -> Iterator[Values]:
            if all(c is None or name in c for name, c in zip(start, self._choices, strict=False)):
                yield from extend(start, extend)

        return begin


def typed_variables(
    literals: Iterable[Literal], types: Iterable[Typed], first: Sequence[Typed] = ()
) -> list[Typed]:
    """Return the variables of the literals, those in `first` first; without a type where none is given."""
    known = {variable.name: variable for variable in (*types, *first)}
    names = [v.name for v in first] + [a for p in literals for a in p.args if a.startswith("?")]
    return [known.get(name, Typed(name, "")) for name in dict.fromkeys(names)]


def projector(terms: Sequence[str], names: Sequence[str]) -> Callable[[Values], Values]:
    """Return a function from the values of `names` to those of `terms`, some of which may be constants."""
    place = {name: number for number, name in enumerate(names)}
    if not terms:
        return lambda values: ()
    if all(term in place for term in terms):
        if len(terms) == 1:
            only = place[terms[0]]
            return lambda values: (values[only],)
        return itemgetter(*(place[term] for term in terms))
    fixed = [(place.get(term), term) for term in terms]
    return lambda values: tuple(term if at is None else values[at] for at, term in fixed)
