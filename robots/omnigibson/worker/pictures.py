"""Find the things that a camera shows, and where, from OmniGibson's segmentation of its picture."""

from typing import Any


def visible_boxes(observed: Any, info: Any, names: dict[str, str]) -> dict[str, list[int]] | None:
    """Return for each named thing its pixels and its box: count, left, top, right, bottom (exclusive).

    None without a segmentation. `names` maps OmniGibson's names of things to ours; nothing else is told.
    """
    if "seg_instance" not in observed or "seg_instance" not in info:
        return None
    labels = {int(n): names[label] for n, label in info["seg_instance"].items() if label in names}
    found: dict[str, list[int]] = {}
    for y, row in enumerate(observed["seg_instance"].cpu().tolist()):
        for x, label in enumerate(row):
            name = labels.get(label)
            if name is None:
                continue
            box = found.setdefault(name, [0, x, y, x + 1, y + 1])
            box[0] += 1
            box[1], box[3], box[4] = min(box[1], x), max(box[3], x + 1), y + 1
    return found
