"""Which evidence wins: loops over words, the flow of an action over the place of a result, and so on."""

from __future__ import annotations

import textwrap

from goldsplit.model.named_code import NamedFunction
from goldsplit.model.stage import (
    ACT,
    ACT_SEARCH,
    ENV_MASK,
    ENV_OBSERVE,
    ENV_OPPONENT,
    ENV_RESET,
    ENV_STEP,
    LEARN_LOSS,
    REPLAY_ADD,
    REPLAY_SAMPLE,
    REPLAY_UPDATE,
    ROLLOUT,
    VEC_COPY,
)
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def named(*texts: str) -> list[NamedFunction]:
    return decide([read(textwrap.dedent(text), f"/program/part{n}.py") for n, text in enumerate(texts)])


def stages(*texts: str) -> dict[str, str]:
    return {one.function: one.stage for one in named(*texts) if one.own_counters is None}


def lines(*texts: str) -> dict[int, str]:
    """Line → stage, of what is no whole function."""
    return {one.first: one.stage for one in named(*texts) if one.own_counters is not None}


PLAIN_FUNCTIONS = """
    import numpy as np
    def deal(): return {"hand": [1, 2], "trick": [], "turn": 0}
    def lay(state, who, card):
        state["hand"].remove(card)
    def neighbour(state, who):
        best = None
        for card in state["hand"]:
            best = card
        return best
    def others(state):
        while state["turn"] != 0:
            card = neighbour(state, 1)
            lay(state, 1, card)
    def go_on(state, card):
        lay(state, 0, card)
        others(state)
        return 1.0, not state["hand"]
    def encode(state): return np.zeros(3)
    def allowed_cards(state): return np.ones(3)
    def probabilities(weights, x, m): return x @ weights
    def choose(weights, x, m): return int(np.argmax(probabilities(weights, x, m)))
    def card_of(index, trump): return index + trump
    def play_one_game(weights):
        state = deal()
        gains, over = [], False
        while not over:
            x = encode(state)
            m = allowed_cards(state)
            a = choose(weights, x, m)
            gain, over = go_on(state, card_of(a, 2))
            gains.append(gain)
        return gains, state["turn"]
    def improve(weights, gains): weights["w"] -= sum(gains)
    def main():
        weights = {"w": np.zeros(3)}
        while True:
            gains, score = play_one_game(weights)
            improve(weights, gains)
    main()
"""


def test_what_plays_a_whole_game_is_no_step_and_a_converter_no_choice() -> None:
    assert stages(PLAIN_FUNCTIONS) == {
        "deal": ENV_RESET,
        "neighbour": ENV_OPPONENT,
        "go_on": ENV_STEP,
        "encode": ENV_OBSERVE,
        "allowed_cards": ENV_MASK,
        "choose": ACT,
        "improve": LEARN_LOSS,
        "play_one_game": ROLLOUT,
    }


ONE_LONG_MAIN = """
    import torch
    class Board:
        def fresh(self): self.dead = False
        def look(self): return [1.0]
        def go(self, turn):
            self.dead = turn > 2
            return -1.0
    class Store:
        def push(self, o, a, r, o2, d): self.rows.append((o, a, r, o2, d))
        def grab(self, n): return self.rows[:n]
        def again(self, errors): self.weights = errors
    def main():
        net = torch.nn.Linear(1, 3)
        boards, store = [Board() for _ in range(8)], Store()
        obs = [b.look() for b in boards]
        while True:
            with torch.no_grad():
                acts = net(torch.tensor(obs)).argmax(1)
            for i, b in enumerate(boards):
                r = b.go(acts[i])
                o2 = b.look()
                d = b.dead
                store.push(obs[i], acts[i], r, o2, d)
                if d:
                    b.fresh()
                obs[i] = o2
            for _ in range(2):
                batch = store.grab(32)
                loss = net(batch).mean()
                loss.backward()
                store.again(loss)
    main()
"""


def test_a_function_that_plays_and_learns_is_read_line_by_line() -> None:
    assert stages(ONE_LONG_MAIN) == {
        "Board.fresh": ENV_RESET,
        "Board.look": ENV_OBSERVE,
        "Board.go": ENV_STEP,
        "Store.push": REPLAY_ADD,
        "Store.grab": REPLAY_SAMPLE,
        "Store.again": REPLAY_UPDATE,
    }
    found = lines(ONE_LONG_MAIN)
    assert found[18] == ACT
    assert found[29] == found[30] == LEARN_LOSS


def test_what_carries_out_the_action_is_neither_reward_nor_opponent() -> None:
    found = stages(
        """
        class Towers:
            def begin(self): self.foes = []
            def setEnemy(self): self.foes.append(1)
            def simulate(self, action):
                self.setEnemy()
                return 1.0, True
            def draw(self, action):
                reward, over = self.simulate(action)
                return self.seen(), reward, over
            def seen(self): return [len(self.foes), 1, 2, 3]
        class Agent:
            def pick(self, seen): return seen[0]
        def run():
            towers, agent, over = Towers(), Agent(), False
            towers.begin()
            seen = towers.seen()
            while not over:
                action = agent.pick(seen)
                seen, reward, over = towers.draw(action)
        run()
        """
    )
    assert found["Towers.draw"] == ENV_STEP
    assert "Towers.simulate" not in found
    assert "Towers.setEnemy" not in found


def test_another_class_that_moves_in_the_game_is_the_other_side() -> None:
    found = stages(
        """
        class Red:
            def __init__(self, war): self.war = war
            def use_the_night(self):
                for unit in self.war.units:
                    self.war.execute(unit, 3)
        class War:
            def __init__(self): self.red = Red(self)
            def deploy(self): self.units = [1]
            def execute(self, unit, order): self.units[unit] += order
            def carry_out(self, order):
                self.execute(0, order)
                self.red.use_the_night()
                return [1], 1.0, True
        class General:
            def decide(self, seen): return 1
        def main():
            war, general, done = War(), General(), False
            war.deploy()
            seen = [0]
            while not done:
                order = general.decide(seen)
                seen, reward, done = war.carry_out(order)
        main()
        """
    )
    assert found["Red.use_the_night"] == ENV_OPPONENT
    assert found["War.carry_out"] == ENV_STEP


def test_what_a_pool_runs_hands_nothing_to_it() -> None:
    """It is given to the pool with a board, and steps it: no facade, whose steps are made elsewhere."""
    found = stages(
        """
        from concurrent.futures import ThreadPoolExecutor
        class Board:
            def begin(self): self.k = 0
            def observe(self): return [self.k]
            def step(self, action): self.k += 1; return 1.0, self.k > 3
        def play_one(job):
            board, action = job
            reward, done = board.step(action)
            if done:
                board.begin()
            return board.observe(), reward, done
        class Mind:
            def choose(self, sight): return sight
        def main():
            boards, mind = [Board() for _ in range(4)], Mind()
            seen = [board.observe() for board in boards]
            with ThreadPoolExecutor(4) as pool:
                while True:
                    actions = [mind.choose(one) for one in seen]
                    results = list(pool.map(play_one, zip(boards, actions)))
                    seen = [one[0] for one in results]
        main()
        """
    )
    assert found["Board.step"] == ENV_STEP
    assert found.get("play_one") != VEC_COPY


def test_a_facade_of_workers_is_no_step() -> None:
    found = stages(
        """
        import multiprocessing as mp
        def life(pipe):
            floor = Floor()
            while True:
                word, key = pipe.recv()
                prize, over = floor.play(key)
                pipe.send((floor.dig() if over else floor.sight(), prize, over))
        class Floor:
            def dig(self): self.k = 0; return self.sight()
            def sight(self): return [self.k]
            def play(self, key): return 1.0, key > 3
        class Crew:
            def __init__(self):
                self.pipes = []
                mp.Process(target=life).start()
            def start(self): return self.exchange("begin")[0]
            def turn_all(self, keys): return self.exchange(keys)
            def exchange(self, letters):
                for pipe, letter in zip(self.pipes, letters):
                    pipe.send(letter)
                answers = [pipe.recv() for pipe in self.pipes]
                return answers, [1.0], [True]
        class Mind:
            def choose(self, sights): return sights
        def main():
            crew, mind = Crew(), Mind()
            sights = crew.start()
            while True:
                keys = mind.choose(sights)
                sights, rewards, overs = crew.turn_all(keys)
        main()
        """
    )
    assert found["Crew.turn_all"] == VEC_COPY
    assert found["Floor.play"] == ENV_STEP
    assert found["Floor.dig"] == ENV_RESET
    assert found["Floor.sight"] == ENV_OBSERVE
    assert found["Mind.choose"] == ACT


def test_rules_that_are_plain_functions_and_a_search() -> None:
    found = stages(
        """
        def first(): return (0,)
        def after(board, move): return (*board, move)
        def legal_ones(board): return [m for m in range(3)]
        def planes(board): return board
        class Net(torch.nn.Module):
            def forward(self, x): return x
            def predict(self, x): return self(x)
        class Node:
            def __init__(self, board):
                self.board = board
                self.moves = legal_ones(board)
                self.result = None
        class Tree:
            def __init__(self, net): self.net = net
            def root(self, board):
                self.node = Node(board)
                return self.node
            def weigh(self, warmth):
                for _ in range(50):
                    child = Node(after(self.node.board, 1))
                    self.net.predict(planes(child.board))
                return [1.0]
            def advance(self, move):
                self.node = Node(after(self.node.board, move))
                return self.node
        def self_play(net):
            tree = Tree(net)
            node = tree.root(first())
            while node.result is None:
                weights = tree.weigh(1)
                node = tree.advance(int(np.argmax(weights)))
        while True:
            self_play(Net())
        """
    )
    assert found["Tree.weigh"] == ACT_SEARCH
    assert found["after"] == ENV_STEP
    assert found["planes"] == ENV_OBSERVE
    assert found["legal_ones"] == ENV_MASK


def test_lines_that_draw_a_batch_inside_an_update() -> None:
    text = """
        import random
        class General:
            def study(self):
                rows = random.sample(self.archive, 48)
                seen = stack(rows)
                value = self.net(seen)
                loss = value.mean()
                loss.backward()
        general = General()
        while True:
            general.study()
        """
    assert stages(text) == {"General.study": LEARN_LOSS}
    assert lines(text) == {5: REPLAY_SAMPLE, 6: REPLAY_SAMPLE}
