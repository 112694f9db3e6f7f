"""OpenGL without a window: EGL first, then OSMesa, chosen before any of it is imported."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from importlib import reload
from typing import Any

from core.errors import RobotError

REMEDY = (
    "There is no OpenGL to draw pictures with: install it with "
    "`apt-get install libegl1 libgl1 libgl1-mesa-dri` (or libosmesa6), or choose --no-pictures."
)

_SOFTWARE = ("llvmpipe", "softpipe", "swiftshader", "software", "swrast", "osmesa", "mesa offscreen")


def _egl_works() -> bool:
    """Return True if EGL offers a display; asks the library itself, so nothing is imported in vain."""
    try:
        library = ctypes.CDLL("libEGL.so.1")
        address = library.eglGetProcAddress
        address.restype, address.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
        devices_at, display_at = address(b"eglQueryDevicesEXT"), address(b"eglGetPlatformDisplayEXT")
        if not (devices_at and display_at):
            return False
        found = (ctypes.c_void_p * 16)()
        count = ctypes.c_int()
        query = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(devices_at)
        if not query(16, found, ctypes.byref(count)):
            return False
        display_of = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(
            display_at
        )
        library.eglInitialize.argtypes = [ctypes.c_void_p] * 3
        platform_device = 0x313F
        displays = (display_of(platform_device, found[k], None) for k in range(count.value))
        return _can_load("libOpenGL.so.0", "libGL.so.1") and any(
            d and library.eglInitialize(d, None, None) for d in displays
        )
    except (OSError, AttributeError):
        return False


def _osmesa_works() -> bool:
    return _can_load("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


def _can_load(*names: str) -> bool:
    """Return True if one of these libraries can be loaded."""
    for name in names:
        try:
            ctypes.CDLL(name)
            return True
        except OSError:
            continue
    return False


_BACKENDS = {"egl": _egl_works, "osmesa": _osmesa_works}


@cache
def backend() -> str:
    """Return "egl", "osmesa", or "" for none. MUJOCO_GL narrows the choice if it names one of them."""
    wanted = os.environ.get("MUJOCO_GL", "").lower()
    tests = {wanted: _BACKENDS[wanted]} if wanted in _BACKENDS else _BACKENDS
    return next((name for name, test in tests.items() if test()), "")


def unavailable_reason() -> str:
    """Explain in one sentence why nothing can draw here, and what to do about it."""
    wanted = os.environ.get("MUJOCO_GL", "").lower()
    if wanted not in _BACKENDS:
        return REMEDY
    return (
        f"MUJOCO_GL allows only {wanted} for drawing pictures, which does not work here: unset it, "
        "or choose --no-pictures."
    )


def select_backend(name: str = "") -> None:
    """Have MuJoCo draw with this backend, by default what MUJOCO_GL names, else EGL: also where mujoco is
    imported already, and has made its own choice.
    """
    os.environ["MUJOCO_GL"] = name or os.environ.get("MUJOCO_GL") or "egl"
    os.environ["PYOPENGL_PLATFORM"] = os.environ["MUJOCO_GL"]
    if "mujoco" in sys.modules:
        reload(sys.modules[sys.modules["mujoco"].Renderer.__module__].gl_context)


def unavailable_error(error: Exception) -> RobotError:
    """Return why nothing is drawn; each of the GL libraries raises its own error."""
    return RobotError(f"{REMEDY} ({os.environ['MUJOCO_GL']}: {error})")


def create_context(width: int, height: int) -> Any:
    """Create a GL context. Make, use (`make_current`) and free it in one thread. Raises RobotError."""
    if not (name := backend()):
        raise RobotError(unavailable_reason())
    select_backend(name)
    try:
        from mujoco.gl_context import GLContext

        return GLContext(width, height)
    except (ImportError, RuntimeError) as error:
        raise unavailable_error(error) from error


def precompile_shaders() -> None:
    """Compile the current context's shaders for small textures, of the kinds that MuJoCo uses.

    A software renderer compiles them at first use, which takes some 200 ms. MuJoCo would hold the GIL all
    that time, and so block the window; calls through PyOpenGL do not.
    """
    from OpenGL import GL  # type: ignore[import-untyped]

    flat, cube, side = GL.GL_TEXTURE_2D, GL.GL_TEXTURE_CUBE_MAP, GL.GL_TEXTURE_CUBE_MAP_POSITIVE_X
    sides = [side + k for k in range(6)]
    kinds = [(flat, [flat], GL.GL_RGB), (flat, [flat], GL.GL_RGBA), (cube, sides, GL.GL_RGB)]
    for kind, faces, pixels in kinds:
        name = GL.glGenTextures(1)
        GL.glBindTexture(kind, name)
        for face in faces:
            GL.glTexImage2D(face, 0, pixels, 4, 4, 0, pixels, GL.GL_UNSIGNED_BYTE, bytes(4 * 4 * 4))
        GL.glGenerateMipmap(kind)
        GL.glDeleteTextures([name])
    GL.glFinish()


def renderer_name() -> str:
    """Return GL_RENDERER of the current context."""
    from OpenGL import GL

    return (GL.glGetString(GL.GL_RENDERER) or b"").decode(errors="replace")


def is_gpu(renderer: str) -> bool:
    """Return True if this GL_RENDERER is a graphics card; False for an unknown one."""
    return bool(renderer) and not any(name in renderer.lower() for name in _SOFTWARE)
