"""Descendants, found by reading each process's parent once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from goldsplit.record.outside import process_tree
from goldsplit.record.outside.process_tree import ProcessTree, parent_of

#: A process that starts a child, prints the child's number, and ends when told to; its child goes on.
PARENT = (
    "import subprocess, sys; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
    "print(child.pid, flush=True); sys.stdin.readline()"
)


@contextmanager
def two_generations() -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A child of ours and the number of its child."""
    child = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    try:
        yield child, grandchild
    finally:
        os.kill(grandchild, 9)
        child.communicate("\n")


def test_children_and_their_children_are_found() -> None:
    with two_generations() as (child, grandchild):
        assert {child.pid, grandchild} <= set(ProcessTree(os.getpid()).below())
        assert ProcessTree(child.pid).below() == [grandchild]
        assert ProcessTree(grandchild).below() == []


def test_a_new_process_is_found_and_an_ended_one_is_gone() -> None:
    ours = ProcessTree(os.getpid())
    before = ours.below()
    with two_generations() as (child, grandchild):
        assert set(ours.below()) - set(before) == {child.pid, grandchild}
    assert child.pid not in ours.below()


def test_a_worker_stays_in_the_tree_when_its_parent_dies() -> None:
    with two_generations() as (child, grandchild):
        ours = ProcessTree(os.getpid())
        ours.below()
        child.kill()
        child.wait()
        assert parent_of(grandchild) != child.pid
        assert grandchild in ours.below()


def test_each_parent_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(process_tree.psutil, "pids", lambda: [1, 20, 30])
    monkeypatch.setattr(
        process_tree, "parent_of", lambda pid: read.append(pid) or {20: 10, 30: 20}.get(pid, 0)
    )
    ours = ProcessTree(10)
    assert ours.below() == ours.below() == [20, 30]
    assert sorted(read) == [1, 20, 30]


def test_who_looks_and_what_it_started_are_not_of_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shell (10) is watched from inside itself: 20 is who looks, with its sampler 21; 30 is a training."""
    monkeypatch.setattr(process_tree.psutil, "pids", lambda: [10, 20, 21, 30, 31])
    monkeypatch.setattr(process_tree, "parent_of", {20: 10, 21: 20, 30: 10, 31: 30}.get)
    monkeypatch.setattr(process_tree.os, "getpid", lambda: 20)
    shell = ProcessTree(10)
    assert shell.below() == shell.below() == [30, 31]
    assert ProcessTree(20).below() == [21]


def test_a_process_that_does_not_exist_has_no_parent_and_no_descendants() -> None:
    assert parent_of(99_999_999) == 0
    assert ProcessTree(99_999_999).below() == []


def test_a_name_with_parentheses_and_spaces_does_not_confuse() -> None:
    code = "import ctypes; ctypes.CDLL(None).prctl(15, b'a) S 1 (b', 0, 0, 0); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert parent_of(child.pid) == os.getpid()
        child.communicate("\n")
