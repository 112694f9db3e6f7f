"""A world of two facts, and questions about it."""

from core.belief import Atom, Query
from core.ports import Frame

INSIDE = Query(Atom("inside", ("mug", "cabinet")), "Is the mug inside the cabinet?")
CLOSED = Query(Atom("closed", ("cabinet",)), "Is the cabinet open?", negated=True)
BOTH = (INSIDE, CLOSED)
FRAME = Frame("f1", viewpoint="v1", png=b"\x89PNG not really")


class World:
    """The mug is inside, and the cabinet is open."""

    situation = ""

    def truth(self) -> frozenset[Atom]:
        return frozenset({INSIDE.atom})

    def is_observable(self, atom: Atom) -> bool:
        return True
