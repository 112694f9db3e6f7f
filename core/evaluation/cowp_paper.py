"""The COWP paper's Table 4 (Ding et al. 2023): percent of completed tasks, and of handled situations."""

from __future__ import annotations

from collections.abc import Mapping

TABLE_4: Mapping[str, tuple[float, float]] = {
    "cowp": (67.8, 36.9),
    "progprompt": (61.8, 30.1),
    "inner-monologue": (54.0, 22.1),
    "ek": (55.1, 17.3),
    "cw": (44.3, 0.0),
    "lmzsp": (10.2, 0.0),
}
METHODS = tuple(TABLE_4)
