"""MuJoCo's own viewer for the emulator, in a separate process.

`python -m robots.ur5e.emulator.viewer ADDRESS` ends with its window or with the emulator.
"""

from __future__ import annotations

import sys
from time import sleep

from core.errors import RobotError

VIEWER_FPS = 30


def main(address: str) -> None:
    import mujoco
    import mujoco.viewer

    from robots.ur5e.emulator.admin_client import AdminClient

    client = AdminClient(address)
    model = mujoco.MjModel.from_xml_string(client.ask("scene").text("xml"))
    data = mujoco.MjData(model)
    with mujoco.viewer.launch_passive(model, data, show_left_ui=False, show_right_ui=False) as window:
        while window.is_running():
            try:
                data.qpos[:] = client.ask("state").numbers("state")
            except RobotError:
                return
            mujoco.mj_forward(model, data)
            window.sync()
            sleep(1 / VIEWER_FPS)


if __name__ == "__main__":
    main(*sys.argv[1:])
