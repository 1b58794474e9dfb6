"""Ctrl-C waits while Numba compiles, and is never lost."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
from numba.core.compiler_lock import global_compiler_lock

from trailprint.cli.interrupt import handle_interrupts


@pytest.fixture(autouse=True)
def handled():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    handle_interrupts()
    yield
    signal.signal(signal.SIGINT, before)


def wait(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        time.sleep(0.005)


def interrupt_and_wait(seconds):
    os.kill(os.getpid(), signal.SIGINT)
    wait(seconds)


def test_ctrl_c_is_answered_at_once():
    with pytest.raises(KeyboardInterrupt):
        interrupt_and_wait(10)


def test_while_kernels_are_compiled_it_waits():
    compiled = []

    def compile_and_go_on():
        with global_compiler_lock:
            interrupt_and_wait(0.3)
            compiled.append(time.monotonic())
        wait(10)

    with pytest.raises(KeyboardInterrupt):
        compile_and_go_on()
    assert time.monotonic() - compiled[0] < 5


def test_another_thread_that_compiles_does_not_delay_it():
    done = threading.Event()
    holding = threading.Event()

    def compile_elsewhere():
        with global_compiler_lock:
            holding.set()
            done.wait(10)

    other = threading.Thread(target=compile_elsewhere)
    other.start()
    assert holding.wait(10)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        interrupt_and_wait(10)
    assert time.monotonic() - began < 1
    done.set()
    other.join()


def test_a_handler_of_somebody_else_is_left_alone():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    handle_interrupts()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
