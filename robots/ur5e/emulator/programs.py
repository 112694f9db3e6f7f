"""The files on the emulated controller: programs that can be loaded, and the installation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PROGRAMS: Mapping[str, str] = MappingProxyType(
    {
        "wait.urp": "def wait():\n  while True:\n    sync()\n  end\nend\n",
        "wave.urp": "def wave():\n"
        "  q = get_target_joint_positions()\n"
        "  side = q[5]\n"
        "  while True:\n"
        "    q[5] = side + 0.3\n"
        "    movej(q)\n"
        "    q[5] = side - 0.3\n"
        "    movej(q)\n"
        "  end\n"
        "end\n",
    }
)
INSTALLATION = "default.installation"


def program_name(path: str) -> str:
    """Return a program's name without the folder `/programs/`."""
    return path.removeprefix("/programs/")
