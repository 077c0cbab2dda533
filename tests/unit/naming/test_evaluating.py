"""Games that are played only to see how well it goes."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NOT_SAID, WHOLE_RESULT
from goldsplit.model.stage import EVAL
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide

GAME = """
    class Cave(gym.Env):
        def reset(self, seed=None):
            return [0], {}
        def step(self, action):
            return [1], 1.0, self.day > 9, False, {}

"""
CALLBACKS = {
    "now and then": """
    class Notes(BaseCallback):
        def _on_rollout_end(self):
            self.rounds += 1
            if self.rounds % 6 == 0:
                self.logger.record("depth", self.trip())
        def trip(self):
            seen, _ = self.cave.reset()
            over = False
            while not over:
                action, _ = self.model.predict(seen)
                seen, reward, over, late, info = self.cave.step(action)
            return reward
""",
    "by a clock": """
    class Watch(BaseCallback):
        def _on_step(self):
            if time.time() > self.next:
                self.trip(3)
            return True
        def trip(self, games):
            for game in range(games):
                seen, _ = self.cave.reset()
                over = False
                while not over:
                    seen, reward, over, late, info = self.cave.step(self.model.predict(seen)[0])
""",
}


def stages(text: str) -> dict[str, str]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one.stage for one in found if one.own_counters is None}


@pytest.mark.parametrize("when", CALLBACKS)
def test_what_a_callback_of_a_library_plays_is_a_test(when: str) -> None:
    found = stages(GAME + CALLBACKS[when])
    assert [stage for name, stage in found.items() if name.endswith(".trip")] == [EVAL]


def test_a_library_may_call_the_users_own_collecting() -> None:
    found = stages(
        GAME
        + """
    class MyPPO(OnPolicyAlgorithm):
        def collect_rollouts(self, env):
            return self.gather(env)
        def gather(self, env):
            seen, _ = env.reset()
            for n in range(self.n_steps):
                action = self.policy.sample(seen)
                seen, reward, over, late, info = env.step(action)
"""
    )
    assert EVAL not in found.values()


INLINE = """
    def new_level(): return [1]
    def physics(body, push, level):
        body[0] += push
        return body[0] > 9
    def pick(net, seen, greedy=False):
        return net(seen).argmax()
    def sense(body): return list(body)
    n = 0
    while True:
        level = new_level()
        body = [0]
        while True:
            a = pick(net, sense(body))
            dead = physics(body, a, level)
            rewards.append(1)
            if dead or body[0] > 5 or len(rewards) > 500:
                break
        n += 1
        if n % 30 == 0:
            other = [0]
            for j in range(200):
                if physics(other, pick(net, sense(other), greedy=True), level):
                    break{kept}
            torch.save(net, "best.pt")
        loss.backward()
"""


def test_an_evaluation_that_is_written_into_the_loop_is_told_by_its_lines():
    found = decide([read(textwrap.dedent(INLINE.format(kept="")), "/program/train.py")])
    assert [(one.first, one.last, one.own_counters) for one in found if one.stage == EVAL] == [(20, 25, ())]


def test_play_now_and_then_that_is_kept_to_learn_from_is_none():
    kept = "\n                memory.append((other, level))"
    found = decide([read(textwrap.dedent(INLINE.format(kept=kept)), "/program/train.py")])
    assert EVAL not in {one.stage for one in found}


def test_games_whose_loop_ends_in_other_ways_too_are_counted_by_their_beginnings():
    found = decide([read(textwrap.dedent(INLINE.format(kept="")), "/program/train.py")])
    assert [one.ends_at for one in found if one.function == "physics"] == [NOT_SAID]
    plain = INLINE.format(kept="").replace("dead or body[0] > 5 or len(rewards) > 500", "dead")
    found = decide([read(textwrap.dedent(plain), "/program/train.py")])
    assert [one.ends_at for one in found if one.function == "physics"] == [WHOLE_RESULT]


def test_what_the_main_loop_plays_now_and_then_beside_its_pool_is_a_test() -> None:
    """The training's games are played by a function that is handed to a pool, not called."""
    text = """
    from concurrent.futures import ProcessPoolExecutor
    class Town:
        def begin(self, seed): self.hour = 0
        def gauges(self): return [self.hour]
        def turn(self, valves): self.hour += 1; return self.hour > 95
    def day(town, weights, seed):
        town.begin(seed)
        over = False
        while not over:
            over = town.turn(settle(weights, town.gauges()))
        return town.hour
    def settle(weights, seen): return weights
    def rate(job): return day(Town(), *job)
    def look(weights):
        return sum(day(Town(), weights, seed) for seed in (1, 2))
    def main():
        weights, n = [0.0], 0
        with ProcessPoolExecutor(3) as pool:
            while n < 1000:
                scores = list(pool.map(rate, [(weights, seed) for seed in range(9)]))
                weights = [max(scores)]
                n += 1
                if n % 4 == 0:
                    print(look(weights))
    main()
    """
    found = stages(text)
    assert found["look"] == EVAL
    assert "day" not in found or found["day"] != EVAL
