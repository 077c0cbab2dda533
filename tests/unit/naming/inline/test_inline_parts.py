"""A whole training in the lines of one function: which lines are which."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_OPPONENT, ENV_STEP, LEARN_LOSS
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

RACE = """
def main():
    net = {net}
    opt = torch.optim.Adam(net.parameters())
    while True:
        kept = []
        for k in range(24):
            seen = []                                   # sees
            for car in cars:                            # sees
                seen.append(car["pos"])                 # sees
            with torch.no_grad():                       # acts
                wanted = {asked}.argmax()               # acts
            for race in races:                          # steps
                race["me"]["v"] += wanted               # steps
                {others}                                # moves
                    if {filtered}:                      # moves
                        continue                        # moves
                    one["v"] -= 1                       # moves
                race["t"] += 1                          # steps
            kept.append((seen, wanted))
        with torch.no_grad():
            last = {asked}
        loss = (net(kept) - last).mean()                # learns
        opt.zero_grad()
        loss.backward()                                 # learns
        opt.step()


main()
"""
STAGES = {"sees": ENV_OBSERVE, "acts": ACT, "steps": ENV_STEP, "moves": ENV_OPPONENT}
HABITS = {
    "a library's container": {
        "net": "nn.ModuleDict(dict(body=nn.Linear(3, 3)))",
        "asked": "net['body'](torch.tensor(seen))",
        "others": "for one in cars:",
        "filtered": "one['kind'] != 'rival'",
    },
    "a library's network": {
        "net": "nn.Sequential(nn.Linear(3, 3))",
        "asked": "net(torch.tensor(seen))",
        "others": "for one in enemies:",
        "filtered": "one['dead']",
    },
}


def stage_of_lines(text: str) -> dict[int, str]:
    """Line → its stage, the narrowest part that has it."""
    found: dict[int, str] = {}
    parts = decide([read(text, "/program/train.py")])
    for part in sorted(parts, key=lambda one: one.first - one.last):
        found |= dict.fromkeys(range(part.first, part.last + 1), part.stage)
    return found


@pytest.mark.parametrize("habit", HABITS)
def test_each_line_has_the_stage_that_its_remark_says(habit: str) -> None:
    text = textwrap.dedent(RACE).format(**HABITS[habit])
    found = stage_of_lines(text)
    for number, line in enumerate(text.splitlines(), 1):
        remark = line.partition("# ")[2]
        if remark in STAGES:
            assert found.get(number) == STAGES[remark], line


def test_a_value_that_only_an_update_uses_is_no_acting() -> None:
    text = textwrap.dedent(RACE).format(**HABITS["a library's network"])
    bootstrap = next(n for n, line in enumerate(text.splitlines(), 1) if "last = " in line)
    assert stage_of_lines(text).get(bootstrap) != ACT


def test_a_block_with_a_backward_pass_beside_the_step_learns_as_a_whole() -> None:
    text = textwrap.dedent("""
        class Track:
            def reset(self):
                return [0]
            def step(self, wheel):
                return [1], 1.0, self.lap > 3

        track, actor = Track(), nn.Linear(3, 1)
        seen = track.reset()
        for turn in range(1000):
            wheel = int(actor(seen))
            after, reward, over = track.step(wheel)
            if turn % 8 == 0:
                target = reward + 0.9 * worth(after)
                q_loss = (worth(seen) - target) ** 2
                q_loss.backward()
                for weight, slow in zip(fast, slows):
                    slow.copy_(weight)
            seen = after
    """)
    found = stage_of_lines(text)
    lines = {line.strip(): number for number, line in enumerate(text.splitlines(), 1)}
    for line in ("target = reward + 0.9 * worth(after)", "q_loss.backward()", "slow.copy_(weight)"):
        assert found.get(lines[line]) == LEARN_LOSS, line
    assert lines["after, reward, over = track.step(wheel)"] not in found
