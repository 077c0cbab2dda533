"""Scripts use short names again: only the value that is there at a use says what a function is for."""

from __future__ import annotations

import pytest

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import REPLAY_SAMPLE
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

_PARTS = """
import gymnasium as gym, random, torch

class Net(torch.nn.Module):
    def get_action(self, x):
        y = self.layers(x)
        return torch.argmax(y, 1), y

class Memory:
    def add(self, obs, action, reward, seen, over):
        self.rows.append((obs, action, reward, seen, over))
    def sample(self, n):
        rows = random.sample(self.rows, n)
        return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]

class Own(gym.Env):
    def reset(self):
        self.turn = 0
        return self.look(), {}
    def look(self):
        return [self.turn]
    def step(self, action):
        self.turn += action
        return self.look(), 1.0, self.turn > 9, False, {}

env, net, memory = Own(), Net(), Memory()
opt = torch.optim.Adam(net.parameters())
obs, _ = env.reset()
for step in range(10_000):
"""
_REST = """
    seen, reward, over, cut, _ = env.step(action)
    memory.add(obs, action, reward, seen, over)
    obs = seen
    if step > 100:
        o, ACTIONS, r = memory.sample(32)
        value, q = net.get_action(o)
        loss = ((q.gather(1, ACTIONS) - r) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
_CHOSEN = {
    "a temporary name": ("    a, _ = net.get_action(obs)\n    action = int(a.item())", "a"),
    "the action's name": ("    action = int(net.get_action(obs)[0])", "action"),
    "in both branches": (
        "    if random.random() < 0.1:\n        action = env.action_space.sample()\n"
        "    else:\n        action, _ = net.get_action(obs)",
        "action",
    ),
    "in one branch, then converted": (
        "    if random.random() < 0.1:\n        action = env.action_space.sample()\n"
        "    else:\n        a, _ = net.get_action(obs)\n        action = int(a.item())",
        "a",
    ),
}


def named(text: str) -> dict[str, NamedFunction]:
    return {one.function: one for one in decide([read(text, "/program/train.py")])}


@pytest.mark.parametrize("habit", _CHOSEN)
def test_what_an_update_draws_under_an_actions_name_does_not_act(habit: str) -> None:
    chosen, again = _CHOSEN[habit]
    found = named(_PARTS + chosen + _REST.replace("ACTIONS", again))
    assert found["Memory.sample"].stage == REPLAY_SAMPLE
    assert "gives a step its action" in found["Net.get_action"].reason


def test_a_value_that_comes_round_in_a_loop_is_still_followed() -> None:
    first = _PARTS.replace("for step", "action = 0\nfor step")
    found = named(first + _REST.replace("ACTIONS", "b") + "    action = net.get_action(obs)[0]\n")
    assert found["Memory.sample"].stage == REPLAY_SAMPLE
    assert "gives a step its action" in found["Net.get_action"].reason
