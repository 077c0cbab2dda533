"""A small training that uses most of what goldsplit hooks, and says what it saw. It is run again and again by
`raise_everywhere.py`; each time some function of goldsplit's own raises."""

from __future__ import annotations

import asyncio
import concurrent.futures
import copy
import functools
import json
import logging
import multiprocessing.connection
import os
import queue
import random
import threading

import numpy as np
import torch

import goldsplit

SEEN: list[object] = []


class Game:
    def reset(self) -> int:
        self.turn = 0
        return self.observe()

    def observe(self) -> int:
        return self.turn * 2

    def action_masks(self) -> list[bool]:
        return [True, self.turn > 3]

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, int]]:
        self.turn += 1
        if action == 99:
            raise ValueError("the program's own")
        return self.observe(), 1.0, self.turn % 5 == 0, False, {"turn": self.turn}


class Scheduler:
    def reset(self) -> None:
        self.rate = 1.0

    def step(self, epoch: int) -> float:
        self.rate *= 0.5
        return self.rate


class StepTimer:
    def tick(self, amount: int) -> int:
        return amount + 1


class ReplayBuffer:
    def __init__(self) -> None:
        self.rows: list[int] = []

    def push(self, row: int) -> int:
        self.rows.append(row)
        return len(self.rows)

    def sample(self, size: int) -> list[int]:
        return self.rows[-size:]


class Policy(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)

    def get_action_and_value(self, x: torch.Tensor) -> tuple[float, int]:
        return round(float(self(x).sum().item()), 4), x.ndim


class Agent:
    def select_action(self, state: int) -> int:
        return state % 3


@functools.lru_cache
def square(number: int) -> int:
    return number * number


@goldsplit.stage("game.turns")
async def turns(count: int) -> int:
    for _ in range(count):
        await asyncio.sleep(0)
    return count


@goldsplit.stage
def moves(count: int) -> object:
    for number in range(count):
        back = yield number
        SEEN.append(back)


def play() -> None:
    game, agent, timer, buffer = Game(), Agent(), StepTimer(), ReplayBuffer()
    state = game.reset()
    for number in range(12):
        with goldsplit.stage("game.loop"):
            action = agent.select_action(state)
        state, _, done, _, info = game.step(action)
        SEEN.append((state, done, info, timer.tick(number), buffer.push(state), game.action_masks()))
        SEEN.append((square(number % 3), eval("number + 1"), json.loads("[1]"), copy.deepcopy([number])))
        SEEN.append((np.zeros(2).astype(int).tolist(), random.Random(number).choice([1, 2, 3])))
    SEEN.append(buffer.sample(3))
    scheduler = Scheduler()
    scheduler.reset()
    SEEN.extend(scheduler.step(epoch) for epoch in range(3))
    try:
        game.step(99)
    except ValueError as error:
        SEEN.append((repr(error), error.__context__, error.__cause__))
    goldsplit.count("things", 3)
    goldsplit.episode(reward=1.0, win=True)
    goldsplit.metric("loss", 0.5)


def learn() -> None:
    torch.manual_seed(1)
    policy = Policy()
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.1)
    for _ in range(3):
        loss = policy(torch.ones(4, 2)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        SEEN.append(round(loss.item(), 5))
    with torch.no_grad():
        SEEN.append(policy.get_action_and_value(torch.ones(1, 2)))
    SEEN.append(torch.distributions.Categorical(logits=torch.zeros(2)).probs.tolist())
    try:
        policy(torch.ones(4, 3))
    except RuntimeError as error:
        SEEN.append(str(error)[:20])


def talk() -> None:
    near, far = multiprocessing.connection.Pipe()

    def answer() -> None:
        for _ in range(3):
            command, value = far.recv()
            far.send((command + "ed", value + 1))

    thread = threading.Thread(target=answer)
    thread.start()
    for number in range(3):
        near.send(("step", number))
        ready = multiprocessing.connection.wait([near], timeout=20)
        SEEN.append((len(ready), near.recv()))
    thread.join()
    near.close()
    far.close()
    try:
        near.send(("step", 1))
    except OSError as error:
        SEEN.append(str(error))
    semaphore = multiprocessing.Semaphore(1)
    SEEN.append((semaphore.acquire(), semaphore.acquire(False)))


def hand_over() -> None:
    items: queue.Queue[int] = queue.Queue()
    items.put(1)
    SEEN.append(items.get())
    try:
        items.get(timeout=0.001)
    except queue.Empty as error:
        SEEN.append(repr(error))
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        SEEN.append(pool.submit(square, 7).result())
        try:
            pool.submit(json.loads, "{").result()
        except ValueError as error:
            SEEN.append(str(error))
    SEEN.append(asyncio.run(turns(3)))
    generator = moves(3)
    SEEN.append((next(generator), generator.send("sent"), list(generator)))


def multiply() -> None:
    """A forked child, which ends as multiprocessing's do."""
    child = os.fork()
    if not child:
        SEEN.clear()
        play()
        os._exit(len(SEEN))
    SEEN.append(os.waitpid(child, 0)[1])


def main(forks: bool) -> list[object]:
    print("training", flush=True)
    logging.getLogger("program").warning("careful")
    for part in (play, learn, talk, hand_over):
        part()
    if forks:
        multiply()
    return SEEN
