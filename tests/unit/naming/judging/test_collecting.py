"""A `step` of a trainer, a runner or a world that plays: no step of the game, whatever it is called."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ENV_STEP, ROLLOUT
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

LOOP = """
    def main():
        runner = Runner(gym.make_vec("Maze-v1", 8), Brain())
        runner.reset()
        for round in range(900):
            rows = runner.step(32)
            fit(rows)
    def fit(rows):
        loss = net(rows).mean()
        loss.backward()
        optimizer.step()
"""
RUNNERS = {
    "a runner that asks a network": """
    class Runner:
        def __init__(self, envs, brain): self.envs, self.brain = envs, brain
        def reset(self): self.seen, _ = self.envs.reset()
        def step(self, horizon):
            rows = []
            for _ in range(horizon):
                with torch.no_grad():
                    move = self.brain(self.seen).argmax(-1)
                self.seen, gain, over, cut, _ = self.envs.step(move)
                rows.append((self.seen, move, gain, over | cut))
            return rows
    """,
    "a world of one game that draws at random first": """
    class Runner:
        def __init__(self, env, brain): self.env, self.brain, self.turns = env, brain, 0
        def reset(self): self.seen, _ = self.env.reset()
        def step(self, turns):
            total = 0.0
            while turns:
                turns -= 1
                move = random.randrange(4) if self.turns < 500 else self.brain.best(self.seen)
                self.seen, gain, done = self.env.step(move)
                total += gain
            return total
    """,
    "a trainer that learns as well": """
    class Runner:
        def __init__(self, envs, brain): self.envs, self.brain = envs, brain
        def reset(self): self.seen, _ = self.envs.reset()
        def step(self, horizon):
            for _ in range(horizon):
                move = self.brain(self.seen).argmax(-1)
                seen, gain, over, cut, info = self.envs.step(move)
                loss = self.brain(seen).mean()
                loss.backward()
                self.seen = seen
            return loss
    """,
}
WRAPPERS = {
    "all actions handed on": """
    class Runner:
        def __init__(self, envs, brain): self.envs = envs
        def reset(self): return self.envs.reset()[0]
        def step(self, moves):
            seen, gain, over, cut, _ = self.envs.step(moves)
            return seen, gain, over | cut
    """,
    "each action played several times": """
    class Runner:
        def __init__(self, envs, brain): self.envs = envs
        def reset(self): return self.envs.reset()[0]
        def step(self, moves):
            total = 0.0
            for _ in range(4):
                seen, gain, over, cut, _ = self.envs.step(moves)
                total += gain
            return seen, total, over
    """,
    "moves of the other side beside the agent's": """
    class Runner:
        def __init__(self, env, rival): self.env, self.rival = env, rival
        def reset(self): return self.env.reset()[0]
        def step(self, move):
            seen, gain, over, info = self.env.step(move)
            while not over and self.env.turn != 0:
                seen, lost, over, info = self.env.step(self.rival.pick(seen))
            return seen, gain, over, info
    """,
}


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text) + textwrap.dedent(LOOP), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


@pytest.mark.parametrize("kind", RUNNERS)
def test_what_steps_by_its_own_choice_plays(kind: str) -> None:
    assert functions(RUNNERS[kind])["Runner.step"].stage == ROLLOUT


@pytest.mark.parametrize("kind", WRAPPERS)
def test_what_hands_its_action_on_is_a_step(kind: str) -> None:
    turns = "runner.step(32)", "runner.step(brain.pick(seen))"
    text = textwrap.dedent(WRAPPERS[kind]) + textwrap.dedent(LOOP).replace(*turns)
    found = {one.function: one for one in decide([read(text, "/program/train.py")])}
    assert found["Runner.step"].stage == ENV_STEP
