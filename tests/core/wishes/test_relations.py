from __future__ import annotations

from core.scene import Body
from core.wishes.hand_written import inside, left_of, near, on_top, right_of, tipped, tipped_over, upright


def box(x: float, y: float, z: float, half: float, roll: float = 0.0) -> Body:
    low, high = ((x - half, y - half, z - half), (x + half, y + half, z + half))
    return Body((x, y, z, roll, 0, 0), low, high)


def test_that_relations_mean_what_they_say() -> None:
    bodies = {"plate": box(0, 0, 0, 1), "pea": box(0.2, 0.2, 1.1, 0.1), "cup": box(0.1, 3, 1.5, 0.5, roll=2)}
    assert on_top("pea", "plate", bodies) and not on_top("cup", "plate", bodies)
    assert inside("pea", "plate", bodies) and not inside("cup", "plate", bodies)
    assert left_of("cup", "plate", bodies) and right_of("plate", "cup", bodies)
    assert not left_of("pea", "plate", bodies) and not right_of("pea", "plate", bodies)
    assert near("pea", "plate", bodies, 2) and not near("cup", "plate", bodies, 2)
    assert upright("pea", bodies) and not upright("cup", bodies)
    assert tipped("cup", bodies) and not tipped("pea", bodies)
    assert not tipped_over("cup", "plate", bodies)
    assert tipped_over("cup", "plate", {**bodies, "cup": box(0, 0, 1.5, 0.5, roll=-2)})
