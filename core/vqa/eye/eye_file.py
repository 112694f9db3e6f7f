"""An eye as files, in one folder: `eye.toml` (its card), `trunk.onnx` and `head.npz`.

The trunk turns a picture into features, by `cv2.dnn`. The head turns features and a question into an answer;
it is small, so it is plain arrays, and can be trained further without any other package.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from annotated_types import Interval
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, load_toml, read_bytes, write_toml
from core.errors import BadFile
from core.install_paths import COMMAND
from core.intervals import wilson_interval
from core.text.plural import plural
from core.vqa.data_files import RESOURCES, user_dir

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.float32]]
else:  # who reads the card alone needs no numpy
    Arrays = Mapping[str, Any]

CELL_FEATURES = 274  # of `covers.cell_features`
MAX_BYTES = 4_000_000  # of each file, and of what is packed in it
REMEDY = "Train it again (make train-eye), or choose another eye"


@dataclass(frozen=True, config=FILE)
class PredicateFigures:
    """Measured on seeds or episodes never trained on: shares of right answers, and of opposite ones."""

    seen: int  # questions whose answer the picture shows
    right: UnitInterval
    opposite: UnitInterval
    unseen: int  # questions whose answer it does not show
    unseen_right: UnitInterval
    true: int = 0  # of those seen, what is so
    true_right: UnitInterval = 0.0


@dataclass(frozen=True, config=FILE)
class EyeCard:
    """`eye.toml`. `questions` are those that it was trained on, as `question_key` writes them."""

    name: str
    version: str
    about: str
    trained_on: str
    command: str
    weaknesses: str
    side: Annotated[int, Interval(ge=1, le=1024)]  # pixels of the picture that the trunk takes
    grid: Annotated[int, Interval(ge=1, le=128)]  # cells of the features, per side
    channels: Annotated[int, Interval(ge=1, le=1024)]
    predicates: tuple[str, ...]
    objects: tuple[str, ...]  # the first is "", for no object
    questions: tuple[str, ...]
    foreign_limit: float  # a picture with a higher score is from somewhere else
    distance_limit: float  # and so is one whose features lie further from those known
    foreign_units: Annotated[int, Interval(ge=0, le=1024)] = (
        0  # hidden ones behind that score; 0: it is linear
    )
    cover_units: Annotated[int, Interval(ge=0, le=1024)] = 0  # that tell what covers a cell; 0: none do
    cover_limit: float = 0.0  # something foreign lies on a cell with a higher score
    seam_limit: UnitInterval = 1.0  # more of the rows change at one upright line in two pictures side by side
    halves_limit: UnitInterval = 1.0  # and more, from pixel to pixel, at the middle line in two half ones
    join_limit: UnitInterval = 1.0  # the same at any line, upright or level
    robots: tuple[str, ...] = ()  # whose pictures it was trained on
    sure_limit: UnitInterval = 0.0  # a yes or no that is less sure is not given
    sure_limits: Mapping[str, UnitInterval] = field(default_factory=dict)  # of predicates that need more
    unseen_limit: UnitInterval = (
        1.0  # what more probably cannot be seen than this is said to be so, see `choose`
    )
    figures: Mapping[str, PredicateFigures] = field(default_factory=dict)
    episodes: int = 0  # in which these were measured; 0: on stills
    right_from: UnitInterval = 0.0  # the 95 % interval of all, by episode, begins here
    opposite_to: UnitInterval = 1.0  # and that of opposite answers ends here
    parent: str = ""  # the version that this one was taught from
    own_limit: float = 0.0  # nor is one foreign that lies within this of the pictures it was taught with
    drawn: bool = False  # taught, and its figures are of pictures that were drawn for it, not of episodes
    learnt: tuple[str, ...] = ()  # the ids of the episodes that it was taught with
    trunk: str = ""  # the SHA-256 of trunk.onnx, since OpenCV's reader can crash on a damaged one


GOAL_RIGHT, GOAL_OPPOSITE = 0.95, 0.02  # of what an episode's pictures show
_WEAKEST = 3  # that are named


def shortfall(card: EyeCard) -> str:
    """Return why it is not shown that an eye's answers can be relied on in an episode, "" if it is.

    Only the 95 % interval shows it, not the share: what is told of few episodes may well not come.
    """
    of_all, name = total(card), f"{card.name} {card.version}"
    if not of_all.seen:
        return f"Nobody has measured the eye {name}: do not rely on it."
    if card.drawn:
        return (
            f"The eye {name} was measured on drawn pictures ({_percent(of_all.right)} right, "
            f"{_percent(of_all.opposite)} opposite, of what they show), not in episodes, where it may be far "
            f"worse: run some, then `{COMMAND} eye profile {card.name}` measures it."
        )
    right_from, opposite_to = _bounds(card)
    if right_from >= GOAL_RIGHT and opposite_to <= GOAL_OPPOSITE:
        return ""
    way = f"`{COMMAND} eye teach {card.name}` teaches it with their labels"
    if of_all.right >= GOAL_RIGHT and of_all.opposite <= GOAL_OPPOSITE:
        way = f"`{COMMAND} eye profile {card.name}` after more episodes may show it"
    return (
        f"It is not shown that the eye {name} is good enough ({100 * GOAL_RIGHT:.0f} % right, at most "
        f"{100 * GOAL_OPPOSITE:.0f} % opposite): {measured(card)}. Do not rely on it: {way}."
    )


def verdict(card: EyeCard) -> str:
    """Return whether the eye is shown to be good enough, with its figures, and where it is weakest."""
    good = f"The eye {card.name} {card.version} is good enough: {measured(card)}."
    return " ".join(filter(None, (shortfall(card) or good, weakest(card))))


def measured(card: EyeCard) -> str:
    """Return an eye's figures, with what their 95 % interval leaves open."""
    of_all, (right_from, opposite_to) = total(card), _bounds(card)
    where = f" in {plural(card.episodes, 'new episode')}" if card.episodes else ""
    return (
        f"{_percent(of_all.right)} right (at least {_percent(right_from)}) and {_percent(of_all.opposite)} "
        f"opposite (at most {_percent(opposite_to)}) of {of_all.seen:,} facts{where}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def doubts(card: EyeCard) -> str:
    """Return what a person should know before they use an eye: its shortfall, and where it is weakest."""
    return " ".join(filter(None, (shortfall(card), weakest(card))))


def total(card: EyeCard) -> PredicateFigures:
    """Return the figures of all predicates together."""
    of = card.figures.values()
    seen, unseen = sum(f.seen for f in of), sum(f.unseen for f in of)
    return PredicateFigures(
        seen,
        sum(f.right * f.seen for f in of) / max(1, seen),
        sum(f.opposite * f.seen for f in of) / max(1, seen),
        unseen,
        sum(f.unseen_right * f.unseen for f in of) / max(1, unseen),
    )


def _bounds(card: EyeCard) -> tuple[float, float]:
    """Return how few may be right and how many opposite, by episode, else as if each fact were one."""
    if card.episodes:
        return card.right_from, card.opposite_to
    of_all = total(card)
    right, opposite = (round(share * of_all.seen) for share in (of_all.right, of_all.opposite))
    return wilson_interval(right, of_all.seen)[0], wilson_interval(opposite, of_all.seen)[1]


def weakest(card: EyeCard) -> str:
    """Name the kinds of facts of which it is surely right in fewer than asked for, worst first, as a total
    hides them.
    """
    found = []
    for name, of in card.figures.items():
        so, right = of.true, round(of.true_right * of.true)
        sides = (
            ("which is so", right, so),
            ("which is not so", round(of.right * of.seen) - right, of.seen - so),
        )
        found += [
            (told / asked, f"{name} {which} ({told} of {asked} right)")
            for which, told, asked in sides
            if of.true and asked and wilson_interval(told, asked)[1] < GOAL_RIGHT
        ]
    named = ", ".join(words for _, words in sorted(found)[:_WEAKEST])
    worst = f"It is weakest at {named}; else it was wrong or not sure." if named else ""
    blind = "" if card.seam_limit < 1 else "It does not notice what covers a part of a picture."
    return " ".join(filter(None, (worst, blind)))


def eye_folders() -> tuple[Path, ...]:
    """Return the folders of all eyes: the user's own first, then the shipped ones."""
    places = (user_dir("eye"), RESOURCES / "eye")
    return tuple(card.parent for place in places for card in sorted(place.glob("*/eye.toml")))


def read_card(folder: Path) -> EyeCard:
    """Read the card of an eye. Raises BadFile."""
    return load_toml(folder / "eye.toml", EyeCard, REMEDY)


def head_shapes(card: EyeCard) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of the head."""
    c, cells = card.channels, card.grid**2
    units = card.foreign_units
    own = {"own_mean": (2 * c,), "own_whiten": (2 * c, 2 * c)} if card.own_limit else {}
    layer = {"foreign_layer": (2 * c, units), "foreign_layer_bias": (units,)} if units else {}
    if wide := card.cover_units:
        layer |= {"cover_layer": (CELL_FEATURES, wide), "cover_layer_bias": (wide,)}
        layer |= {"cover": (wide,), "cover_bias": (1,)}
    return {
        **own,
        **layer,
        "predicate": (len(card.predicates), 32),
        "object": (len(card.objects), 32),
        "place": (cells, c),
        "film": (96, 2 * c),
        "film_bias": (2 * c,),
        "first": (c, c),
        "second": (c, c),
        "second_bias": (c,),
        "attention": (c,),
        "hidden": (3 * c + 96, 64),
        "hidden_bias": (64,),
        "out": (64, 3),
        "out_bias": (3,),
        "foreign": (units or 2 * c,),
        "foreign_bias": (1,),
        "known_mean": (2 * c,),
        "known_whiten": (2 * c, 2 * c),
        "scale": (len(card.predicates), 3),
        "shift": (len(card.predicates), 3),
    }


def read_head(folder: Path, card: EyeCard) -> Arrays:
    """Read the head's arrays. Raises BadFile."""
    import numpy as np

    path = folder / "head.npz"
    try:
        with zipfile.ZipFile(data := io.BytesIO(read_bytes(path, MAX_BYTES, REMEDY))) as packed:
            if sum(part.file_size for part in packed.infolist()) > MAX_BYTES:
                raise BadFile(path, f"it unpacks to more than {MAX_BYTES:,} bytes", remedy=REMEDY)
        with np.load(data, allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name], np.float32) for name in head_shapes(card)}
    except BadFile:
        raise
    except Exception as error:  # zipfile, zlib and numpy raise a dozen kinds at bytes that are not theirs
        raise BadFile(path, f"it is no head of an eye ({type(error).__name__})", remedy=REMEDY) from None
    for name, shape in head_shapes(card).items():
        if arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
            reason = f"its {name!r} does not fit the card (it is {arrays[name].shape}, not {shape})"
            raise BadFile(path, reason, remedy=REMEDY)
    return arrays


def write_eye(folder: Path, card: EyeCard, head: Arrays) -> None:
    """Write card and head. Raises OSError, BadFile."""
    import numpy as np

    arrays: dict[str, Any] = {name: np.asarray(head[name], np.float32) for name in head_shapes(card)}
    with (folder / "head.npz").open("wb") as file:
        np.savez(file, **arrays)
    write_toml(folder / "eye.toml", asdict(card))
