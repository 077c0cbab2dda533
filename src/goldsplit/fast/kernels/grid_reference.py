"""What ``grid`` computes, said in plain Python: slow, short, and the judge of the kernels."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

Cell = tuple[int, int]
Board = Sequence[Sequence[bool]]

STRAIGHT = ((-1, 0), (0, -1), (0, 1), (1, 0))
DIAGONAL = (*STRAIGHT, (-1, -1), (-1, 1), (1, -1), (1, 1))


def distances(blocked: Board, sources: Iterable[Cell], diagonal: bool = False) -> dict[Cell, int]:
    """Steps from the nearest source to every cell that can be reached, by breadth-first search."""
    found = dict.fromkeys(sources, 0)
    queue = deque(found)
    while queue:
        row, column = queue.popleft()
        for step_row, step_column in DIAGONAL if diagonal else STRAIGHT:
            cell = (row + step_row, column + step_column)
            if is_open(blocked, cell) and cell not in found:
                found[cell] = found[row, column] + 1
                queue.append(cell)
    return found


def is_open(blocked: Board, cell: Cell) -> bool:
    """Whether a cell is on the board and not blocked."""
    row, column = cell
    return 0 <= row < len(blocked) and 0 <= column < len(blocked[0]) and not blocked[row][column]


def area(blocked: Board, start: Cell, diagonal: bool = False) -> int:
    """Open cells connected to the start, itself included; 0 if it is blocked or off the board."""
    return len(distances(blocked, [start], diagonal)) if is_open(blocked, start) else 0


def labels(blocked: Board, diagonal: bool = False) -> list[list[int]]:
    """Component numbers in scan order from 1; 0 where blocked."""
    numbers = [[0] * len(blocked[0]) for _ in blocked]
    found = 0
    for row in range(len(blocked)):
        for column in range(len(blocked[0])):
            if not blocked[row][column] and not numbers[row][column]:
                found += 1
                for near_row, near_column in distances(blocked, [(row, column)], diagonal):
                    numbers[near_row][near_column] = found
    return numbers
