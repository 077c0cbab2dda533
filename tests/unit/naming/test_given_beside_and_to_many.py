"""What a step is given beside the action, choices for many games at once, and acting without any step."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.stage import ACT, ENV_MASK, ENV_OBSERVE, ENV_OPPONENT, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(text: str) -> dict[str, str]:
    return {one.function: one.stage for one in decide([read(textwrap.dedent(text), "/program/train.py")])}


TWO_SIDES = """
    class Ring:
        def fresh(self):
            self.t = 0
        def feel(self):
            return [self.t]
        def OTHER(self):
            return max(range(3), key=lambda one: one)
        def go(self, mine, theirs):
            self.t += mine - theirs
            return self.t > 40
    class Mind:
        def pick(self, felt):
            return int(sum(felt)) % 3
    def bout(mind):
        ring = Ring()
        ring.fresh()
        over = False
        while not over:
            felt = ring.feel()
            mine = mind.pick(felt)
            theirs = ring.OTHER()
            over = ring.go(mine, theirs)
    for n in range(9):
        bout(Mind())
"""


@pytest.mark.parametrize("name", ["bot", "enemy_choice", "gegnerZug"])
def test_a_method_of_the_game_that_gives_the_other_sides_choice(name: str) -> None:
    found = stages(TWO_SIDES.replace("OTHER", name))
    assert found[f"Ring.{name}"] == ENV_OPPONENT
    assert found["Ring.feel"] == ENV_OBSERVE
    assert found["Mind.pick"] == ACT
    assert found["Ring.go"] == ENV_STEP


def test_another_method_whose_result_a_step_is_given_is_no_opponent() -> None:
    assert stages(TWO_SIDES.replace("OTHER", "wind"))["Ring.wind"] != ENV_OPPONENT


MANY_MAPS = """
    import random
    class Land:
        def plant(self):
            self.t = 0
        def picture(self):
            return [self.t] * 4
        def move(self, way):
            self.t += way
            over = self.t > 9
            return over
    class Lands:
        def __init__(self, many):
            self.lands = [Land() for _ in range(many)]
        def pictures(self):
            return [one.picture() for one in self.lands]
        def move_all(self, ways):
            ended = []
            for land, way in zip(self.lands, ways):
                over = land.move(way)
                ended.append(over)
                if over:
                    land.plant()
            return ended
    class Pilot:
        def ways(self, seen, luck):
            return [random.randrange(3) for _ in seen]
    def main():
        lands, pilot = Lands(48), Pilot()
        seen = lands.pictures()
        while True:
            ways = pilot.ways(seen, 0.1)
            ended = lands.move_all(ways)
            seen = lands.pictures()
    main()
"""


def test_choices_for_all_games_of_a_hub_are_followed_to_who_makes_them() -> None:
    found = stages(MANY_MAPS)
    assert found["Land.move"] == ENV_STEP
    assert found["Pilot.ways"] == ACT
    assert found["Lands.pictures"] == ENV_OBSERVE


BY_MESSAGES = """
    import asyncio
    import json
    import torch
    class Head(torch.nn.Module):
        def forward(self, x):
            return self.body(x)
    class Chief:
        def __init__(self, net):
            self.net = net
        HOW
        def settle(self, vector, allowed_ones):
            return int(self.net(torch.tensor(vector)).argmax())
    class Eyes:
        def encode(self, state):
            return [one["x"] for one in state["ships"]]
        def allowed_ones(self, state):
            return [one["x"] > 0 for one in state["ships"]]
    async def fight(line, chief, eyes):
        state = json.loads(await line[0].readline())
        kept = []
        while not state["over"]:
            vector = eyes.encode(state)
            may = eyes.allowed_ones(state)
            order = chief.settle(vector, may)
            line[1].write(json.dumps({"order": order}).encode())
            state = json.loads(await line[0].readline())
            kept.append((vector, order))
        return kept
    class Tutor:
        def better(self, rows):
            loss = self.net(torch.tensor(rows)).mean()
            loss.backward()
            self.steps.step()
    def main(line, loop):
        chief, tutor = Chief(Head()), Tutor()
        while True:
            rows = asyncio.run_coroutine_threadsafe(fight(line, chief, Eyes()), loop).result()
            tutor.better(rows)
    main(None, None)
"""


@pytest.mark.parametrize("how", ["@torch.no_grad()", "@torch.inference_mode()", "@torch.inference_mode"])
def test_what_is_decorated_with_no_gradients_acts_where_a_server_steps(how: str) -> None:
    found = stages(BY_MESSAGES.replace("HOW", how))
    assert found["Chief.settle"] == ACT
    assert found["Eyes.encode"] == ENV_OBSERVE
    assert found["Eyes.allowed_ones"] == ENV_MASK
