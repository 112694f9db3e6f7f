"""Stills of sampled tables, for training an eye."""

import os

import pytest

from core.belief import Atom
from core.planning import domain_library

pytestmark = [
    pytest.mark.gl,
    pytest.mark.skipif("MUJOCO_GL" not in os.environ, reason="draws in this process: set MUJOCO_GL=egl"),
]


@pytest.mark.long
def test_that_tables_are_drawn_with_things_everywhere_and_labelled() -> None:
    from robots.ur5e.tabletop.stills import TabletopStills, draw_states

    domain_spec, task = domain_library.load_task("collect_toys")
    toys, containers = task.problem.of_type("toy"), task.problem.of_type("container")
    asked = (
        *(Atom("inview", ("robot", t)) for t in toys),
        *(Atom("ontable", (t,)) for t in toys),
        *(Atom("inside", (t, c)) for t in toys for c in containers),
        *(Atom("ingoal", (c,)) for c in containers),
    )
    stills = TabletopStills(task, 1)
    made = list(stills.stills(8, asked))
    stills.close()
    seen = {
        a.predicate for s in made for a, (_, shown) in zip(asked, s.labels, strict=True) if shown is False
    }
    assert "inview" not in seen  # that a thing is not in the picture, the picture shows
    held = [{a for a, (holds, _) in zip(asked, s.labels, strict=True) if holds} for s in made]
    assert {a.predicate for facts in held for a in facts} == {"inview", "ontable", "inside", "ingoal"}
    for facts in held:
        for toy in toys:
            assert (
                sum(toy in a.args and a.predicate != "inview" for a in facts) <= 1
            )  # on the table, or in one container
    assert made[0].rgb.shape == (256, 256, 3)
    assert [labels for _, labels in draw_states(domain_spec, task, 1, asked)][:8] == [s.labels for s in made]


def test_that_a_question_about_what_is_hardly_visible_gets_no_label() -> None:
    from robots.ur5e.tabletop.stills import shows_clearly

    inside = Atom("inside", ("eggplant", "bowl"))
    assert [shows_clearly(inside, {"eggplant": n, "bowl": 900}) for n in (0, 19, 20, 79, 80)] == [
        False,
        False,
        None,
        None,
        True,
    ]
    inview = Atom("inview", ("robot", "eggplant"))
    assert [shows_clearly(inview, {"eggplant": n}) for n in (0, 40, 90)] == [True, None, True]


def test_that_pixels_beside_the_middle_square_do_not_count() -> None:
    from robots.remote.wire_message import WireMessage
    from robots.ur5e.emulator.plant import Plant
    from robots.ur5e.emulator.renderer_process import SceneRenderer
    from robots.ur5e.emulator.scene import make_scene
    from robots.ur5e.tabletop.emulated_camera import decode_picture

    scene = make_scene("tabletop", 1)
    plant, renderer = Plant(scene), SceneRenderer(scene.xml, [t.name for t in scene.things])
    name = "toy_block"
    counts, boxes = [], []
    for y in (0.3, 0.56):  # on the table, and beside the square that is cut out of the picture
        plant.set_thing_pose(name, (0.6, y, 0.05))
        request = WireMessage({"camera": "overhead", "state": list(plant.state), "taken": 0.0})
        picture = decode_picture(renderer.render(request), 0.0)
        counts.append(picture.pixels[name])
        boxes.append(name in picture.boxes)
    renderer.close()
    assert boxes == [True, True]
    assert counts[0] > 100 and counts[1] == 0
