"""What pictures are made of, and what they are asked, before a network is trained on them."""

from core.planning import domain_library
from core.vqa.eye.coverage import vision_atoms
from training.pictures import MOVED, shards


def test_that_no_seed_is_for_two_parts_or_for_an_episode() -> None:
    for domain in ("household", "tabletop"):
        parts: dict[int, set[str]] = {}
        for shard in shards(domain):
            parts.setdefault(shard.seed, set()).add("testing" if shard.part == MOVED else shard.part)
        assert all(len(found) == 1 for found in parts.values())
        assert {part for found in parts.values() for part in found} == {"training", "choosing", "testing"}
        assert min(parts) >= 10_000


def test_that_every_part_is_among_the_first_files() -> None:
    assert {shard.part for shard in shards("household")[:20]} == {"training", "choosing", "testing", MOVED}


def test_that_an_eye_is_asked_each_vision_atom_of_the_actions() -> None:
    folder, task = domain_library.load_task("halve_egg")
    asked = {" ".join((a.predicate, *a.args)) for a in vision_atoms(folder, task.problem)}
    assert "halved hard__boiled_egg-n-01_1" in asked
    assert "inview agent-n-01_1 carving_knife-n-01_1" in asked
    assert not any(text.startswith(("inhand", "handempty", "found")) for text in asked)
