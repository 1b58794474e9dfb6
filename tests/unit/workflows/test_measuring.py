"""Compilation announces itself in Python's log."""

from __future__ import annotations

import logging

import numba
from numba.core.event import trigger_event

from trailprint.kernels import csr
from trailprint.workflows.measuring import announce_compilation


def compile_again(*functions: object) -> None:
    """What Numba does when it compiles functions, and not when it finds them compiled."""
    for function in functions:
        with trigger_event("numba:compile", {"dispatcher": function}):
            pass


def test_each_call_that_compiles_is_announced_once(caplog):
    caplog.set_level(logging.INFO, "trailprint")
    announce_compilation()
    assert caplog.messages == []
    compile_again(csr.main_locations, csr.main_locations)
    assert len(caplog.messages) == 1
    assert "Compiling the kernels" in caplog.text
    announce_compilation()
    compile_again(csr.main_locations)
    assert len(caplog.messages) == 2


def test_what_others_compile_is_not_ours_to_announce(caplog):
    caplog.set_level(logging.INFO, "trailprint")
    announce_compilation()
    compile_again(numba.njit(lambda value: value), object())
    assert caplog.messages == []
