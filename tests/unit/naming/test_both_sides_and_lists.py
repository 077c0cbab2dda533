"""Games in lists, choices for both sides in one loop, steps that only their name shows, rewards by a word."""

from __future__ import annotations

import textwrap

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_OPPONENT, ENV_RESET, ENV_REWARD, ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> list[NamedFunction]:
    return decide([read(textwrap.dedent(text), "/program/train.py")])


def stages(text: str) -> dict[str, str]:
    return {one.function: one.stage for one in named(text) if one.own_counters is None}


MANY = """
    import numpy as np
    def fresh():
        return dict(x=0, over=False)
    def {step}(g, a):
        g["x"] += a
        d = g["over"]
        if d:
            g.update(fresh())
        return sight(g), 0.5, d
    def sight(g):
        return np.array([g["x"]])
    def pick(net, seen):
        return net(seen).argmax(1)
    games = [fresh() for _ in range(8)]
    seen = np.stack([sight(g) for g in games])
    while True:
        a = pick(net, seen)
        res = {stepped}
        seen = np.stack([x[0] for x in res])
"""


def test_a_step_in_a_comprehension_with_a_short_name_for_the_end():
    text = MANY.format(step="step", stepped="[step(g, int(x)) for g, x in zip(games, a)]")
    found = {one.function: one for one in named(text)}
    assert found["step"].stage == ENV_STEP
    assert found["step"].counted
    assert found["step"].ends_at == 2
    assert found["pick"].stage == ACT
    assert found["sight"].stage == ENV_OBSERVE


def test_names_in_comprehensions_are_their_own():
    text = MANY.format(step="step", stepped="list(step(g, int(x)) for g, x in zip(games, a))")
    text += "        [pick(net, x) for x in seen]\n"
    assert stages(text)["step"] == ENV_STEP


def test_results_of_many_games_that_are_taken_apart_later():
    text = """
        class Feld:
            def los(self): self.x = 0
            def weiter(self, was):
                self.x += was
                return self.x * 0.1, self.x > 9
        def waehle(netz, sicht):
            return netz(sicht).argmax(1)
        def alles(netz):
            felder = [Feld() for _ in range(4)]
            for f in felder:
                f.los()
            while True:
                was = waehle(netz, [f.x for f in felder])
                alle = [f.weiter(w) for f, w in zip(felder, was)]
                for k, (punkte, ende) in enumerate(alle):
                    if ende:
                        felder[k].los()
    """
    found = {one.function: one for one in named(text)}
    assert found["Feld.weiter"].stage == ENV_STEP
    assert found["Feld.weiter"].ends_at == 1
    assert found["waehle"].stage == ACT
    assert found["Feld.los"].stage == ENV_RESET


def test_a_usual_name_decides_where_nothing_else_shows_a_step():
    text = """
        def reset(): return [0]
        def step(world, what):
            world[0] += what
            return world
        world = reset()
        for _ in range(100):
            step(world, 1)
    """
    assert stages(text)["step"] == ENV_STEP


def test_a_usual_name_that_no_loop_calls_decides_nothing():
    assert "step" not in stages("def step(world, what):\n    return world\nstep([0], 1)\n")


def test_a_step_that_begins_the_next_game_itself_has_a_reset_inside():
    text = MANY.format(step="step", stepped="[step(g, int(x)) for g, x in zip(games, a)]")
    assert stages(text.replace("fresh", "new_game"))["new_game"] == ENV_RESET


TOWN = """
    class Town:
        def advance(self, action):
            self.build(action)
            self.month += 1
            {reward}
            return reward, self.month > 40
        def build(self, action):
            best = None
            for place in self.places:
                score = self.score_of(place)
                if best is None or score > best:
                    best = score
            self.built = best
        def score_of(self, place):
            return sum(self.land[place])
        def see(self): return self.land
    def run(agent, town):
        over = False
        while not over:
            reward, over = town.advance(agent.pick(town.see()))
"""


def test_a_word_for_a_reward_takes_no_time_out_of_a_step():
    assert "Town.score_of" not in stages(TOWN.format(reward="reward = 1.0"))


def test_a_reward_by_a_word_is_one_if_the_step_returns_it():
    text = TOWN.format(reward="reward = 0.1 * self.score_of(0) - 1")
    assert stages(text)["Town.score_of"] == ENV_REWARD


def test_what_moves_the_game_and_tells_a_reward_is_part_of_the_step():
    text = """
        class Pitch:
            def play(self, move):
                self.me.x += move
                goal = self.roll()
                reward = 1.0 if goal else 0.0
                return reward, goal is not None
            def roll(self):
                ball = self.ball
                for _ in range(3):
                    ball[0] += ball[2]
                return ball[0] > 9
            def see(self): return self.ball
        def run(agent, pitch):
            over = False
            while not over:
                reward, over = pitch.play(agent.pick(pitch.see()))
    """
    assert "Pitch.roll" not in stages(text)


BOTH = """
    import torch
    class Trainer:
        def think(self, seen, net=None):
            with torch.no_grad():
                return (net or self.net)(seen).argmax(-1)
    class Noise:
        def hum(self): return 0.1
    def run(trainer, field, frozen, noise, memory):
        over = False
        while not over:
            seen = field.see(0)
            mine = trainer.think(seen)
            theirs = trainer.think(field.see(1), net=frozen)
            reward, over = field.play(mine, {second})
            memory.append((seen, mine, reward))
    class Field:
        def see(self, side): return self.x
        def play(self, one, two):
            self.x += one - two
            return self.x, self.x > 9
"""


def test_the_same_function_chooses_for_both_sides_told_by_what_is_kept():
    found = named(BOTH.format(second="theirs"))
    assert {one.function: one.stage for one in found if one.own_counters is None}["Trainer.think"] == ACT
    (line,) = [one for one in found if one.stage == ENV_OPPONENT]
    assert line.own_counters == ()
    assert line.first == line.last == 14


def test_noise_beside_the_action_is_nobodys_choice():
    assert ENV_OPPONENT not in {one.stage for one in named(BOTH.format(second="noise.hum()"))}


def test_another_function_that_chooses_for_the_other_side():
    text = BOTH.replace("trainer.think(field.see(1), net=frozen)", "trainer.rival(field.see(1))").replace(
        "    class Noise:", "        def rival(self, seen): return self.old(seen)\n    class Noise:"
    )
    assert stages(text.format(second="theirs"))["Trainer.rival"] == ENV_OPPONENT
