"""Programs of different habits, and what their functions are taken for."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import BY_PURPOSE, WHOLE_RESULT, NamedFunction
from goldsplit.model.stage import (
    ACT,
    ACT_PREDICT,
    ACT_SEARCH,
    CHECKPOINT,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_REWARD,
    ENV_STEP,
    EVAL,
    LEARN_LOSS,
    LEARN_RETURNS,
    LOG,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def stages(*texts: str) -> dict[str, str]:
    """Whole functions; not what only some of their lines are."""
    return {one.function: one.stage for one in named(*texts) if one.own_counters is None}


def named(*texts: str) -> list[NamedFunction]:
    return decide([read(textwrap.dedent(text), f"/program/part{n}.py") for n, text in enumerate(texts)])


ONE_WORD_NAMES = """
    class Caravan:
        def start(self, level):
            self.day = 0
        def gather(self):
            return [self.day]
        def allowed(self):
            return [1, 0]
        def worth(self):
            return 1.0
        def turn(self, order):
            self.day += order
            reward = self.worth()
            return reward, self.day > 9

    class Mind:
        def think(self, view, mask):
            return view[0] * mask[0]
        def fit(self, view, order, reward, after, done):
            self.w -= view * reward

    def play(game, mind):
        game.start("easy")
        view, mask, done = game.gather(), game.allowed(), False
        while not done:
            order = mind.think(view, mask)
            reward, done = game.turn(order)
            after, free = game.gather(), game.allowed()
            mind.fit(view, order, reward, after, done)
            view, mask = after, free

    play(Caravan(), Mind())
"""


def test_one_word_names_are_understood_by_the_flow_of_data() -> None:
    assert stages(ONE_WORD_NAMES) == {
        "Caravan.start": ENV_RESET,
        "Caravan.gather": ENV_OBSERVE,
        "Caravan.allowed": ENV_MASK,
        "Caravan.worth": ENV_REWARD,
        "Caravan.turn": ENV_STEP,
        "Mind.think": ACT,
        "Mind.fit": LEARN_LOSS,
        "play": ROLLOUT,
    }


def test_every_decision_says_why_and_where() -> None:
    found = {one.function: one for one in named(ONE_WORD_NAMES)}
    step = found["Caravan.turn"]
    assert "its result tells that the episode is over" in step.reason
    assert step.counted
    assert step.ends_at == 1
    assert (step.file, step.first, step.last) == ("/program/part0.py", 11, 14)
    assert all(one.reason for one in found.values())


def test_no_word_has_to_be_known() -> None:
    found = stages(
        """
        class Xa:
            def ba(self): self.k = 0
            def bi(self): return [self.k]
            def bo(self, v):
                self.k += v
                return v, self.k > 5
        def zu(xa, ya):
            xa.ba()
            p, q = xa.bi(), False
            while not q:
                u = ya.du(p)
                h, q = xa.bo(u)
                p = xa.bi()
        class Ya:
            def du(self, p): return p[0] + 1
        zu(Xa(), Ya())
        """
    )
    assert found == {"Xa.ba": ENV_RESET, "Xa.bi": ENV_OBSERVE, "Xa.bo": ENV_STEP, "Ya.du": ACT, "zu": ROLLOUT}


@pytest.mark.parametrize(
    ("returned", "asked", "ends_at"),
    [
        ("{'seen': 1, 'over': True}", "out['over']", "over"),
        ("Outcome(1, True)", "out.finished", "finished"),
        ("self.k > 3", "out", WHOLE_RESULT),
    ],
)
def test_a_step_may_return_anything_that_the_loop_asks(returned: str, asked: str, ends_at: object) -> None:
    text = f"""
        class World:
            def reset(self): self.k = 0
            def apply(self, order):
                self.k += order
                return {returned}
        def run(world, agent):
            world.reset()
            while True:
                out = world.apply(agent.pick(1))
                if {asked}:
                    break
        class Agent:
            def pick(self, seen): return seen
        run(World(), Agent())
        """
    (step,) = [one for one in named(text) if one.stage == ENV_STEP]
    assert (step.function, step.ends_at) == ("World.apply", ends_at)


def test_the_loop_may_ask_the_game_itself() -> None:
    text = """
        class Game:
            def restart(self): self.over = False
            def look(self): return 1
            def order(self, command): self.over = command > 3
        class Player:
            def decide(self, seen): return seen
        def go():
            game, player = Game(), Player()
            game.restart()
            while not game.over:
                command = player.decide(game.look())
                game.order(command)
        go()
        """
    found = {one.function: one for one in named(text)}
    assert found["Game.order"].stage == ENV_STEP
    assert found["Game.order"].ends_at == "self.over"
    assert found["Player.decide"].stage == ACT
    assert found["Game.restart"].stage == ENV_RESET


def test_functions_without_classes() -> None:
    found = stages(
        """
        def deal(): return {"hand": [1]}
        def features(state): return [len(state["hand"])]
        def move(state, card):
            state = {"hand": state["hand"][1:]}
            return state, 1.0, not state["hand"]
        def choose(seen): return seen[0]
        def episode():
            state, ended = deal(), False
            while not ended:
                card = choose(features(state))
                state, reward, ended = move(state, card)
        while True:
            episode()
        """
    )
    assert found["move"] == ENV_STEP
    assert found["choose"] == ACT
    assert found["features"] == ENV_OBSERVE
    assert found["episode"] == ROLLOUT


TORCH_DQN = """
    import torch
    class Barrel:
        def throwIn(self, item): self.items.append(item)
        def handful(self, n): return self.items[:n]
        def reweigh(self, errors): self.weights = errors
    class Officer:
        def __init__(self):
            self.net, self.barrel = Net(), Barrel()
        def order(self, planes):
            with torch.no_grad():
                return int(self.net(planes).argmax())
        def lesson(self):
            batch = self.barrel.handful(16)
            loss = self.net(batch).mean()
            loss.backward()
            self.opt.step()
            self.barrel.reweigh(loss)
    class Net(torch.nn.Module):
        def forward(self, x): return x
    class Enemy:
        def takeTurn(self): return None
    class Battle:
        def __init__(self): self.enemy = Enemy()
        def reset(self): return [0]
        def carryOut(self, order):
            self.enemy.takeTurn()
            return [1], 1.0, True
    class Campaign:
        def __init__(self):
            self.game, self.officer = Battle(), Officer()
        def fight(self):
            planes, over = self.game.reset(), False
            while not over:
                order = self.officer.order(planes)
                after, gain, over = self.game.carryOut(order)
                self.officer.barrel.throwIn((planes, order, gain, after, over))
                planes = after
                self.officer.lesson()
        def parade(self):
            planes, over = self.game.reset(), False
            while not over:
                planes, gain, over = self.game.carryOut(self.officer.order(planes))
        def run(self):
            for battle in range(100):
                self.fight()
                if battle % 20 == 0:
                    self.parade()
    Campaign().run()
"""


def test_memory_opponent_update_and_evaluation() -> None:
    assert stages(TORCH_DQN) == {
        "Battle.reset": ENV_RESET,
        "Battle.carryOut": ENV_STEP,
        "Enemy.takeTurn": ENV_OPPONENT,
        "Officer.order": ACT,
        "Officer.lesson": LEARN_LOSS,
        "Barrel.throwIn": REPLAY_ADD,
        "Barrel.handful": REPLAY_SAMPLE,
        "Barrel.reweigh": REPLAY_UPDATE,
        "Campaign.fight": ROLLOUT,
        "Campaign.parade": EVAL,
    }


def test_a_bots_choice_inside_a_step_is_the_opponents() -> None:
    found = stages(
        """
        class Bot:
            def select_action(self, seen): return 1
        class Env:
            def __init__(self): self.rival = Bot()
            def reset(self): return 0
            def step(self, action):
                self.rival.select_action(action)
                return 0, 1.0, True, {}
        class Agent:
            def select_action(self, seen): return seen
        def main():
            env, agent = Env(), Agent()
            seen, done = env.reset(), False
            while not done:
                action = agent.select_action(seen)
                seen, reward, done, info = env.step(action)
        main()
        """
    )
    assert found["Bot.select_action"] == ENV_OPPONENT
    assert found["Agent.select_action"] == ACT


def test_what_both_acts_and_learns_is_told_by_its_caller() -> None:
    found = stages(
        """
        from torch import nn
        class Net(nn.Module):
            def get_action(self, x, given=None): return x
        class Trainer:
            def __init__(self): self.net, self.env = Net(), Env()
            def collect(self):
                x = self.env.reset()
                for _ in range(10):
                    a = self.net.get_action(x)
                    x, r, d = self.env.step(a)
                    if d:
                        x = self.env.reset()
            def gains(self, rewards):
                for r in reversed(rewards):
                    pass
            def learn(self, batch):
                loss = self.net.get_action(batch, 1)
                loss.backward()
        class Env:
            def reset(self): return 0
            def step(self, a): return 0, 1.0, True
        trainer = Trainer()
        while True:
            batch = trainer.collect()
            trainer.gains(batch)
            trainer.learn(batch)
        """
    )
    assert found["Net.get_action"] == BY_PURPOSE
    assert found["Trainer.learn"] == LEARN_LOSS
    assert found["Trainer.gains"] == LEARN_RETURNS
    assert found["Trainer.collect"] == ROLLOUT


def test_self_play_with_a_search() -> None:
    found = stages(
        """
        class Game:
            def opening(self): return (0,)
            def moves(self, position): return [1, 2]
            def after(self, position, move): return (*position, move)
            def lost(self, position): return len(position) > 5
        class Net(torch.nn.Module):
            def forward(self, x): return x
        class Oracle:
            def __init__(self): self.net = Net()
            def look(self, position): return self.net(position)
        class MCTS:
            def __init__(self, game, oracle): self.game, self.oracle = game, oracle
            def search(self, position):
                legal = self.game.moves(position)
                for _ in range(60):
                    position = self.game.after(position, legal[0])
                    self.oracle.look(position)
                return legal
        def self_play():
            game = Game()
            position, tree = game.opening(), MCTS(game, Oracle())
            while not game.lost(position):
                weights = tree.search(position)
                move = max(weights)
                position = game.after(position, move)
        while True:
            self_play()
        """
    )
    assert found["Game.after"] == ENV_STEP
    assert found["Game.moves"] == ENV_MASK
    assert found["MCTS.search"] == ACT_SEARCH
    assert found["Oracle.look"] == ACT_PREDICT
    assert found["self_play"] == ROLLOUT


def test_workers_behind_pipes() -> None:
    found = stages(
        """
        def worker(pipe):
            game = Farm()
            game.reset()
            while True:
                order = pipe.recv()
                view, gain, over = game.till(order)
                if over:
                    game.reset()
                pipe.send((view, gain, over))
        class Farm:
            def reset(self): self.k = 0
            def till(self, order): return order, 1.0, True
        class Boss:
            def pick(self): return [1, 2]
            def ask(self, orders):
                for pipe, order in zip(self.pipes, orders):
                    pipe.send(order)
            def harvest(self):
                for _ in range(10):
                    orders = self.pick()
                    self.ask(orders)
        Boss().harvest()
        """
    )
    assert found["Farm.till"] == ENV_STEP
    assert found["Farm.reset"] == ENV_RESET
    assert found["Boss.pick"] == ACT


def test_a_program_without_a_game_has_no_step() -> None:
    assert (
        ENV_STEP
        not in stages(
            """
        def load(path): return path, True
        def parse(line): return line.split(), 3
        def main():
            words, count = parse("a b")
            for name in ["a"]:
                text, ok = load(name)
                if not ok:
                    continue
                print(text, words, count)
        main()
        """
        ).values()
    )


def test_a_loop_function_is_no_step_although_it_returns_rewards() -> None:
    found = stages(
        """
        class Env:
            def reset(self): return 0
            def step(self, a): return 0, 1.0, True
        def play(env, policy):
            total, done, seen = 0, False, env.reset()
            while not done:
                seen, reward, done = env.step(policy.act(seen))
                total += reward
            return total, done
        class Policy:
            def act(self, seen): return 1
        def main():
            env, policy, over = Env(), Policy(), False
            while not over:
                reward, over = play(env, policy)
        main()
        """
    )
    assert found["play"] == ROLLOUT
    assert found["Env.step"] == ENV_STEP


def test_generations_instead_of_gradients() -> None:
    found = stages(
        """
        class Tank:
            def rst(self, seed): self.t = 0
            def stp(self, moves): return self.t > 3
        def judge(pop, tank):
            for one in pop:
                tank.rst(1)
                dn = False
                while not dn:
                    dn = tank.stp(one.fwd([1]))
        class Ind:
            def fwd(self, v): return v
        def breed(pop): return pop[:3] + [Ind()]
        def main():
            pop, tank = [Ind()], Tank()
            while True:
                judge(pop, tank)
                pop = breed(pop)
        main()
        """
    )
    assert found["breed"] == LEARN_LOSS
    assert found["Tank.stp"] == ENV_STEP
    assert found["Ind.fwd"] == ACT


def test_other_files_are_followed() -> None:
    found = stages(
        """
        from part1 import Brett
        from part2 import waehle
        def lauf():
            brett = Brett()
            sicht, ende = brett.neu(), False
            while not ende:
                sicht, lohn, ende = brett.zug(waehle(sicht))
        lauf()
        """,
        """
        class Brett:
            def neu(self): return 1
            def zug(self, wahl): return 1, 2.0, True
        """,
        "def waehle(sicht): return sicht",
    )
    assert found == {"Brett.neu": ENV_RESET, "Brett.zug": ENV_STEP, "waehle": ACT, "lauf": ROLLOUT}


def test_a_loop_without_functions_is_read_line_by_line() -> None:
    text = """
        import torch
        class Net(torch.nn.Module):
            def forward(self, x): return x
        net = Net()
        while True:
            for k in range(8):
                for g in range(4):
                    if need[g]:
                        where[g] = 0
                seen = torch.zeros(4)
                for g in range(4):
                    seen[g] = where[g]
                with torch.no_grad():
                    moves = net(seen).argmax(1)
                for g in range(4):
                    where[g] += moves[g]
                    need[g] = where[g] > 9
                kept[k] = seen
            for k in range(7, -1, -1):
                run = rewards[k] + 0.9 * run
            logits = net(kept)
            loss = logits.mean()
            loss.backward()
        """
    found = {(one.first, one.last): one.stage for one in named(text)}
    assert found == {
        (8, 10): ENV_RESET,
        (11, 11): ENV_OBSERVE,
        (12, 13): ENV_OBSERVE,
        (14, 15): ACT,
        (16, 18): ENV_STEP,
        (20, 21): LEARN_RETURNS,
        (22, 22): LEARN_LOSS,
        (23, 23): LEARN_LOSS,
        (24, 24): LEARN_LOSS,
    }


def test_a_sum_in_a_step_is_no_observation() -> None:
    found = stages(
        """
        class Game:
            def reset(self): self.total = 0
            def walk(self, far): return sum(range(far))
            def step(self, action):
                self.total += self.walk(action)
                return self.total, 0.0, False, {}
        game = Game()
        game.reset()
        while True:
            game.step(0)
        """
    )
    assert found == {"Game.reset": ENV_RESET, "Game.step": ENV_STEP}


def test_classes_of_one_name_in_two_files_are_two() -> None:
    found = named(
        """
        from part1 import Board
        from part2 import Board as Picture
        def main():
            board, picture, ended = Board(), Picture(), False
            seen = board.fresh()
            while not ended:
                seen, points, ended = board.put(choose(seen))
                picture.put(seen)
        def choose(seen): return seen
        main()
        """,
        """
        class Board:
            def fresh(self): return 0
            def put(self, stone): return 1, 1.0, stone > 3
        """,
        """
        class Board:
            def fresh(self): return None
            def put(self, seen): print(seen)
        """,
    )
    assert {(one.file, one.function): one.stage for one in found} == {
        ("/program/part0.py", "main"): ROLLOUT,
        ("/program/part0.py", "choose"): ACT,
        ("/program/part1.py", "Board.fresh"): ENV_RESET,
        ("/program/part1.py", "Board.put"): ENV_STEP,
    }


def script_with_its_game_in_lines(counting: str, ending: str, begin: str = "") -> str:
    lines = [
        "import torch",
        "class Net(torch.nn.Module):",
        "    def forward(self, x): return x",
        "net = Net()",
        "while True:",
        f"    {begin or 'pass'}",
        "    seen = where + 1",
        "    with torch.no_grad():",
        "        moves = net(seen).argmax(1)",
        "    for g in range(4):",
        "        where[g] += moves[g]",
        "        over = where[g] > 9",
        f"        {counting}",
        f"        {ending}",
        "    loss = net(seen).mean()",
        "    loss.backward()",
    ]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("counting", "ending", "begin", "counters"),
    [
        ("steps += 1", "if over: walks += 1", "", ("steps", "walks")),
        ("moves_made = moves_made + 1", "pass", "", ("moves_made", "")),
        ("steps += 1", "if where[g] == 3: eaten += 1", "", ("steps", "")),
        ("pass", "if over: walks += 1", "", ("", "")),
        ("t += 1", "pass", "t = 0", ("", "")),
        ("pass", "pass", "steps += GAMES", ("steps", "")),
        ("pass", "pass", "rounds += 1", ("", "")),
    ],
)
def test_a_script_may_count_its_steps_itself(
    counting: str, ending: str, begin: str, counters: tuple[str, str]
) -> None:
    found = named(script_with_its_game_in_lines(counting, ending, begin))
    assert [one.own_counters for one in found if one.stage == ENV_STEP] == [counters]
    assert all(one.own_counters == () for one in found if one.stage != ENV_STEP)


@pytest.mark.parametrize(
    ("writing", "stage"),
    [
        ('def save_checkpoint(n): open("x.bin", "wb").write(b"x" * n)', CHECKPOINT),
        ('def keep(n): open("x.bin", "wb").write(pickle.dumps(n))', None),
        ('def save_brain(n):\n    with open("x", "wb") as out: out.write(pickle.dumps(n))', CHECKPOINT),
        ('def save_brain(n): open("x", "w").write("%d" % n)', CHECKPOINT),
        ('def save_stats(n): open("x", "a").write("%d" % n)', LOG),
        ('def save_games(n): open("x", "a").write(json.dumps(n))', LOG),
        ("def save_rows(n): csv.writer(FILE).writerow([n])", LOG),
        ('def jot(n): open("x", "a").write("%d" % n)', LOG),
    ],
)
def test_what_is_written_to_a_file(writing: str, stage: str | None) -> None:
    program = """
    class World:
        def reset(self): return 0
        def step(self, action): return 1, 0.5, True, {}

    world = World()
    seen = world.reset()
    for n in range(100):
        seen, gain, over, _ = world.step(3)
        NAME(n)
        if over:
            seen = world.reset()
    """
    name = writing.partition("(")[0].removeprefix("def ")
    found = stages(writing + "\n" + textwrap.dedent(program).replace("NAME", name))
    assert found["World.step"] == ENV_STEP
    assert found.get(name) == stage


VIEW_AND_MASK = """
    import numpy as np
    def visible(state, one):
        state["seen"][one] = True
        return True
    class RewardMixer:
        def total(self, state, hurt): return visible(state, 1) - hurt
    class Rules:
        def destinations(self, state): return [1, 2]
        def masque(self, state):
            allowed = np.zeros(4, dtype=bool)
            for way in self.destinations(state):
                allowed[way] = True
            return allowed, state["units"]
    class Painter:
        def paint(self, state, units): return [state["t"], visible(state, 2), state["seen"]]
    class Front:
        def __init__(self):
            self.rules, self.painter, self.mixer = Rules(), Painter(), RewardMixer()
        def reset(self):
            self.state = {"t": 0, "units": [], "seen": {}}
            return self.look()
        def look(self):
            masque, units = self.rules.masque(self.state)
            view = self.painter.paint(self.state, units)
            return view, masque
        def step(self, a):
            self.state["t"] += a
            r = self.mixer.total(self.state, 1)
            view, masque = self.look()
            return view, r, self.state["t"] > 9, False, {"masque": masque}
    def work(pipe):
        front = Front()
        while True:
            command, a = pipe.recv()
            if command == "step":
                view, r, over, late, info = front.step(a)
                if over:
                    view, info["masque"] = front.reset()
                pipe.send((view, r, over, info))
"""


def test_a_mask_that_comes_with_the_view_is_no_part_of_it():
    found = stages(VIEW_AND_MASK)
    assert found["Rules.masque"] == ENV_MASK
    assert found["Front.look"] == ENV_OBSERVE


def test_what_makes_both_is_the_view():
    both = VIEW_AND_MASK.replace("return allowed, state", "return allowed, allowed, state")
    both = both.replace("masque, units = self", "view, masque, units = self")
    both = both.replace("view = self.painter.paint(self.state, units)", "")
    assert "Rules.masque" not in stages(both)


def test_a_class_of_rewards_computes_the_reward_by_any_name():
    assert stages(VIEW_AND_MASK)["RewardMixer.total"] == ENV_REWARD
