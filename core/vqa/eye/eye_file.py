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
from core.vqa.data_files import RESOURCES, user_dir

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.float32]]
else:  # who reads the card alone needs no numpy
    Arrays = Mapping[str, Any]

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
    robots: tuple[str, ...] = ()  # whose pictures it was trained on
    sure_limit: UnitInterval = 0.0  # a yes or no that is less sure is not given
    sure_limits: Mapping[str, UnitInterval] = field(default_factory=dict)  # of predicates that need more
    unseen_limit: UnitInterval = (
        1.0  # what more probably cannot be seen than this is said to be so, see `choose`
    )
    figures: Mapping[str, PredicateFigures] = field(default_factory=dict)
    parent: str = ""  # the version that this one was taught from
    own_limit: float = 0.0  # nor is one foreign that lies within this of the pictures it was taught with
    drawn: bool = False  # taught, and its figures are of pictures that were drawn for it, not of episodes
    learnt: tuple[str, ...] = ()  # the ids of the episodes that it was taught with
    trunk: str = ""  # the SHA-256 of trunk.onnx, since OpenCV's reader can crash on a damaged one


GOAL_RIGHT, GOAL_OPPOSITE = 0.95, 0.02  # of what an episode's pictures show
GOAL = f"asked for: {100 * GOAL_RIGHT:.0f} and at most {100 * GOAL_OPPOSITE:.0f}"


def shortfall(card: EyeCard) -> str:
    """Return in one sentence why an eye's answers are not to be relied on in an episode, "" if they are."""
    seen = sum(found.seen for found in card.figures.values())
    if not seen:
        return f"Nobody has measured the eye {card.name} {card.version}: do not rely on it."
    right = sum(found.right * found.seen for found in card.figures.values()) / seen
    opposite = sum(found.opposite * found.seen for found in card.figures.values()) / seen
    name = f"{card.name} {card.version}"
    figures = f"{100 * right:.1f} % right, {100 * opposite:.1f} % opposite"
    if card.drawn:
        return (
            f"The eye {name} was measured on drawn pictures ({figures}, of what they show), not in episodes, "
            f"where it may be far worse: run some, then `{COMMAND} eye profile {card.name}` measures it."
        )
    if right >= GOAL_RIGHT and opposite <= GOAL_OPPOSITE:
        return ""
    return (
        f"In new episodes the eye {name} was {figures} ({GOAL}): do not rely on it. `{COMMAND} eye teach "
        f"{card.name}` teaches it with their labels."
    )


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
