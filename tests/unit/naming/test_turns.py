"""A turn of the game that the loop makes out of several calls."""

from __future__ import annotations

import textwrap
from pathlib import Path

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_OPPONENT, ENV_RESET, ENV_STEP, LEARN_LOSS
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(text: str) -> list[NamedFunction]:
    return decide([read(textwrap.dedent(text), "/program/train.py")])


PIECES = """
    import multiprocessing as mp
    import torch
    from torch import nn
    class Net(nn.Module):
        def forward(self, x): return x
    class Arena:
        def restart(self): self.t = 0
        def steer(self, a): self.drive(a)
        def drive(self, a): self.x += a
        def flood(self):
            for cell in self.cells:
                cell.level = 0
        def bots_turn(self):
            for bot in self.bots:
                bot.x += 1
        def fly(self):
            got = 0.0
            for shell in self.shells:
                got += shell
            return got
        def note(self, a): self.last = a
        def close_turn(self, got):
            self.t += 1
            done = self.t > 99
            return got - 0.1, done
        def render(self): return [cell.level for cell in self.cells for _ in range(2) if sum(cell.walls)]
    def pack(net): return net.state_dict()
    def work(queue, weights):
        arena, net = Arena(), Net()
        arena.restart()
        obs = arena.render()
        while True:
            with torch.no_grad():
                logits = net(torch.tensor(obs))
                a = int(torch.multinomial(logits, 1))
            arena.note(a)
            arena.steer(a)
            arena.flood()
            arena.bots_turn()
            r, done = arena.close_turn(arena.fly())
            queue.put((obs, a, r))
            if done:
                arena.restart()
            obs = arena.render()
    def main(net, queue, inbox):
        mp.Process(target=work, args=(queue, inbox)).start()
        while True:
            queue.get()
            inbox.put(pack(net))
"""


def test_what_the_loop_tells_the_game_before_its_step_is_part_of_it():
    found = {one.function: one for one in named(PIECES) if one.own_counters is None}
    steps = {name for name, one in found.items() if one.stage == ENV_STEP}
    assert steps == {"Arena.close_turn", "Arena.steer", "Arena.flood", "Arena.fly"}
    assert [name for name in steps if found[name].counted] == ["Arena.close_turn"]
    assert found["Arena.bots_turn"].stage == ENV_OPPONENT
    assert found["Arena.restart"].stage == ENV_RESET


def test_what_only_notes_something_is_not_measured():
    assert "Arena.note" not in {one.function for one in named(PIECES)}


def test_what_is_told_the_game_shows_who_chose_it_and_what_was_seen():
    found = named(PIECES)
    assert [one.stage for one in found if one.function == "Arena.render"] == [ENV_OBSERVE]
    lines = [(one.first, one.last) for one in found if one.stage == ACT]
    assert lines == [(34, 36)]


def test_weights_for_workers_that_choose_themselves_are_no_action():
    assert "pack" not in {one.function for one in named(PIECES)}


NOT_ALL_IS_KEPT = """
    import torch
    from torch import nn
    class Agent(nn.Module):
        def features(self, image): return self.conv(image)
        def forward(self, image): return self.pi(self.features(image)), self.v(self.features(image))
        def get_action_and_value(self, image, action=None):
            logits, value = self.forward(image)
            dist = torch.distributions.Categorical(logits=logits)
            if action is None:
                action = dist.sample()
            return action, dist.log_prob(action), dist.entropy(), value
    class Cave:
        def reset(self): return self.look()
        def look(self): return [self.x]
        def step(self, action):
            self.x += action
            return self.look(), 1.0, self.x > 9, self.t > 99, {}
    class PPO:
        def __init__(self, net: Agent, env: Cave):
            self.net, self.env = net, env
            self.opt = torch.optim.Adam(net.parameters())
        def play(self):
            rows = []
            for _ in range(128):
                action, logp, value = self.choose(self.obs)
                obs, reward, term, trunc, info = self.env.step(action)
                rows.append((self.obs, action, logp, value, reward, term or trunc))
                if term or trunc:
                    obs = self.env.reset()
                self.obs = obs
            return rows
        def choose(self, obs):
            with torch.no_grad():
                action, logp, _, value = self.net.get_action_and_value(obs)
            return action[0], logp[0], value[0]
        def optimize(self, rows):
            for obs, action, logp, value, reward, done in rows:
                _, new, entropy, value = self.net.get_action_and_value(obs, action)
                loss = (new - logp).exp() + value.pow(2) - entropy
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
    def main():
        ppo = PPO(Agent(), Cave())
        while True:
            ppo.optimize(ppo.play())
"""


def test_a_part_of_an_answer_that_nobody_keeps_is_not_asked_for():
    """The loop asks for `term` and `trunc`, which are parts of nothing: least of all of what `_` holds."""
    found = {one.function: one.stage for one in named(NOT_ALL_IS_KEPT) if one.own_counters is None}
    assert [name for name, stage in found.items() if stage == ENV_STEP] == ["Cave.step"]
    assert found["PPO.choose"] == ACT
    assert found["PPO.optimize"] == LEARN_LOSS


def test_a_turn_that_is_given_one_of_several_games_is_read_too() -> None:
    habit = (Path(__file__).parent / "habits" / "turns_of_given.txt").read_text()
    text = habit.partition("# file: train.py\n")[2].replace(
        "self.turn(c, key[i])", "self.turn(self.cellars[i], key[i])"
    )
    assert "self.turn(self.cellars[i]" in text
    found = {one.function for one in decide([read(text, "/program/train.py")])}
    assert "Coach.drill" in found
