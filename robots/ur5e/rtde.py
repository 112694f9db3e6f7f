"""The Real-Time Data Exchange (RTDE) of a UR controller (port 30004): frames, types and names. Pure.

Big-endian frames: uint16 size including these three header bytes, uint8 type, payload.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

PORT = 30004
HERTZ = 500.0
TOOL_BITS = 16  # where the tool's own begin among the digital bits

VERSION, CONTROLLER, OUTPUTS, INPUTS, START, PAUSE, DATA = b"VvOISPU"

FORMATS: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "BOOL": ("?", 1),
        "UINT8": ("B", 1),
        "UINT32": ("I", 1),
        "UINT64": ("Q", 1),
        "INT32": ("i", 1),
        "DOUBLE": ("d", 1),
        "VECTOR3D": ("3d", 3),
        "VECTOR6D": ("6d", 6),
        "VECTOR6INT32": ("6i", 6),
        "VECTOR6UINT32": ("6I", 6),
    }
)


def _variable_types(**names: str) -> Mapping[str, str]:
    return MappingProxyType({name: kind for kind, list_ in names.items() for name in list_.split()})


def _registers(direction: str) -> dict[str, str]:
    return {
        f"{direction}_bit_registers0_to_31": "UINT32",
        f"{direction}_bit_registers32_to_63": "UINT32",
        **{f"{direction}_bit_register_{n}": "BOOL" for n in range(64, 128)},
        **{f"{direction}_int_register_{n}": "INT32" for n in range(48)},
        **{f"{direction}_double_register_{n}": "DOUBLE" for n in range(48)},
    }


OUTPUT: Mapping[str, str] = MappingProxyType(
    {
        **_variable_types(
            DOUBLE="timestamp actual_execution_time target_execution_time speed_scaling "
            "target_speed_fraction actual_momentum actual_main_voltage actual_robot_voltage "
            "actual_robot_current io_current "
            "standard_analog_input0 standard_analog_input1 standard_analog_output0 standard_analog_output1 "
            "euromap67_24V_voltage euromap67_24V_current tool_analog_input0 tool_analog_input1 "
            "tool_output_current tool_temperature tcp_force_scalar joint_position_deviation_ratio "
            "collision_detection_ratio payload actual_robot_energy_consumed "
            "actual_robot_braking_energy_dissipated",
            UINT8="tool_output_mode tool_digital_output0_mode tool_digital_output1_mode",
            UINT32="runtime_state robot_status_bits safety_status_bits analog_io_types euromap67_input_bits "
            "euromap67_output_bits tool_mode tool_analog_input_types script_control_line",
            INT32="robot_mode safety_mode safety_status tool_output_voltage time_scale_source encoder0_raw "
            "encoder1_raw",
            UINT64="actual_digital_input_bits actual_configurable_digital_input_bits "
            "actual_digital_output_bits actual_configurable_digital_output_bits control_step",
            VECTOR3D="actual_tool_accelerometer payload_cog elbow_position elbow_velocity target_gravity",
            VECTOR6INT32="joint_mode",
            VECTOR6D="target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
            "actual_current actual_current_window actual_current_as_torque joint_control_output "
            "actual_TCP_pose actual_TCP_speed actual_TCP_acceleration actual_TCP_force target_TCP_pose "
            "target_TCP_speed target_TCP_acceleration tcp_offset joint_temperatures actual_joint_voltage "
            "ft_raw_wrench wrench_calc_from_currents payload_inertia target_base_acceleration "
            "target_base_wrench",
        ),
        **_registers("output"),
        **_registers("input"),
    }
)

INPUT: Mapping[str, str] = MappingProxyType(
    {
        **_variable_types(
            VECTOR6D="external_force_torque",
            UINT32="speed_slider_mask",
            DOUBLE="speed_slider_fraction standard_analog_output_0 standard_analog_output_1",
            UINT8="standard_digital_output_mask standard_digital_output configurable_digital_output_mask "
            "configurable_digital_output tool_digital_output_mask tool_digital_output "
            "standard_analog_output_mask standard_analog_output_type",
        ),
        **_registers("input"),
    }
)


def encode_frame(kind: int, payload: bytes = b"") -> bytes:
    return struct.pack(">HB", 3 + len(payload), kind) + payload


def take_frames(buffer: bytearray) -> Iterator[tuple[int, bytes]]:
    """Remove the complete frames and yield (type, payload). Raises ValueError for an invalid one."""
    while len(buffer) >= 3:
        size, kind = struct.unpack_from(">HB", buffer)
        if size < 3:
            raise ValueError(f"a frame of {size} bytes")
        if len(buffer) < size:
            return
        payload = bytes(buffer[3:size])
        del buffer[:size]
        yield kind, payload


def split_names(names: bytes) -> tuple[str, ...]:
    """Split a list of names. ur_rtde ends its lists with a comma, UR's own client does not."""
    return tuple(name for name in names.decode("ascii", "replace").split(",") if name)


@dataclass(frozen=True)
class Recipe:
    """The variables of a data package, in order."""

    id: int
    names: tuple[str, ...]
    types: tuple[str, ...]

    @cached_property
    def layout(self) -> struct.Struct:
        return struct.Struct(">B" + "".join(FORMATS[t][0] for t in self.types))

    def pack(self, values: Sequence[float]) -> bytes:
        """Pack the flat `values`, in the recipe's order, after the recipe's id."""
        return self.layout.pack(self.id, *values)

    def unpack(self, payload: bytes) -> dict[str, tuple[float, ...]]:
        """Return the values by name. A package of a wrong size is cut or padded, as controllers do."""
        size = self.layout.size
        flat = self.layout.unpack(payload[:size].ljust(size, b"\0"))[1:]
        out, at = {}, 0
        for name, kind in zip(self.names, self.types, strict=True):
            n = FORMATS[kind][1]
            out[name] = flat[at : at + n]
            at += n
        return out
