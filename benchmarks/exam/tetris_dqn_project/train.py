# ML project, semester 5: AI that plays tetris
# python train.py
import json
import os
import random
import time
from collections import deque
from random import sample

import numpy as np
import torch
import torch.nn as nn

import tetris
from tetris import Tetris, add_time

BATCH_SIZE = 256
LR = 1e-3
GAMMA = 0.97
INITIAL_EPSILON = 0.5
FINAL_EPSILON = 1e-3
NUM_DECAY_STEPS = 4000
REPLAY_SIZE = 30000
TRAIN_EVERY = 4
MIN_MEMORY = 400
SAVE_EVERY_GAMES = 50
TEST_EVERY_GAMES = 25
MAX_PIECES = 500


class DeepQNetwork(nn.Module):
    def __init__(self):
        super(DeepQNetwork, self).__init__()
        self.conv1 = nn.Sequential(nn.Linear(33, 64), nn.ReLU(inplace=True))   # name from tutorial, its not conv
        self.conv2 = nn.Sequential(nn.Linear(64, 64), nn.ReLU(inplace=True))
        self.conv3 = nn.Sequential(nn.Linear(64, 1))
        self._create_weights()

    def _create_weights(self):
        for m in self.modules():
            if isinstance(m, nn.Linear):
                nn.init.xavier_uniform_(m.weight)
                nn.init.constant_(m.bias, 0)

    def forward(self, x):
        x = self.conv1(x)
        x = self.conv2(x)
        x = self.conv3(x)
        return x


def get_next_states(env, timing=True):
    """returns dict action -> features. """
    t0 = time.perf_counter()
    boards = env.get_next_boards()
    if timing:
        add_time("env.mask", t0)
    t0 = time.perf_counter()
    states = {}
    for action, (board, lines) in boards.items():
        states[action] = env.get_state_properties(board, lines)
    if timing:
        add_time("env.observe", t0)
    return states


def choose(model, next_states, epsilon):
    next_actions, next_feats = zip(*next_states.items())
    next_feats = torch.stack([torch.from_numpy(f) for f in next_feats])
    model.eval()
    with torch.no_grad():
        predictions = model(next_feats)[:, 0]
    model.train()
    if random.random() <= epsilon:
        index = random.randint(0, len(next_actions) - 1)
    else:
        index = torch.argmax(predictions).item()
    return next_actions[index], next_feats[index, :]


def test(model, games=2):
    lines = []
    for _ in range(games):
        env = Tetris()
        while not env.gameover and env.tetrominoes < 60:
            action, _ = choose(model, get_next_states(env, timing=False), 0.0)
            # cannot use step() here because of the timers :(
            saved = dict(tetris.T)
            env.step(action)
            tetris.T.clear()
            tetris.T.update(saved)
        lines.append(env.cleared_lines)
    return sum(lines) / len(lines)


def train():
    torch.set_num_threads(1)
    torch.manual_seed(123)
    random.seed(123)
    seconds = float(os.environ.get("WILD_SECONDS", "20"))
    os.makedirs("trained_models", exist_ok=True)

    env = Tetris()
    model = DeepQNetwork()
    optimizer = torch.optim.Adam(model.parameters(), lr=LR)
    criterion = nn.MSELoss()
    replay_memory = deque(maxlen=REPLAY_SIZE)
    steps = games = updates = 0
    loss_val = 0.0
    best_score = 0
    frames = []          # for the gif in the presentation

    start = time.perf_counter()
    t0 = time.perf_counter()
    state = torch.from_numpy(env.reset())
    add_time("env.reset", t0)

    while time.perf_counter() - start < seconds:
        next_states = get_next_states(env)

        t0 = time.perf_counter()
        epsilon = FINAL_EPSILON + (max(NUM_DECAY_STEPS - steps, 0) * (
                INITIAL_EPSILON - FINAL_EPSILON) / NUM_DECAY_STEPS)
        action, next_state = choose(model, next_states, epsilon)
        add_time("act", t0)

        reward, done = env.step(action)
        steps += 1

        t0 = time.perf_counter()
        frames.append(env.render())
        if len(frames) > 300:
            frames.pop(0)
        add_time("env.render", t0)

        replay_memory.append([state, reward, next_state, done])
        state = next_state

        if len(replay_memory) > MIN_MEMORY and steps % TRAIN_EVERY == 0:
            t0 = time.perf_counter()
            batch = sample(replay_memory, BATCH_SIZE)
            state_batch, reward_batch, next_state_batch, done_batch = zip(*batch)
            state_batch = torch.stack(tuple(state for state in state_batch))
            reward_batch = torch.from_numpy(np.array(reward_batch, dtype=np.float32)[:, None])
            next_state_batch = torch.stack(tuple(state for state in next_state_batch))
            add_time("replay.sample", t0)

            t0 = time.perf_counter()
            q_values = model(state_batch)
            model.eval()
            with torch.no_grad():
                next_prediction_batch = model(next_state_batch)
            model.train()
            add_time("learn.update", t0)

            t0 = time.perf_counter()
            y_batch = torch.cat(
                tuple(reward if done else reward + GAMMA * prediction for reward, done, prediction in
                      zip(reward_batch, done_batch, next_prediction_batch)))[:, None]
            add_time("learn.returns", t0)

            t0 = time.perf_counter()
            optimizer.zero_grad()
            loss = criterion(q_values, y_batch)
            loss.backward()
            optimizer.step()
            loss_val = loss.item()
            updates += 1
            add_time("learn.update", t0)

        if done or env.tetrominoes >= MAX_PIECES:
            games += 1
            t0 = time.perf_counter()
            best_score = max(best_score, env.score)
            print("Game: {}, Steps: {}, Score: {}, Tetrominoes {}, Cleared lines: {}, eps {:.3f}, loss {:.3f}".format(
                games, steps, env.score, env.tetrominoes, env.cleared_lines, epsilon, loss_val))
            add_time("log", t0)
            if games % TEST_EVERY_GAMES == 0:
                t0 = time.perf_counter()
                mean_lines = test(model)
                add_time("eval", t0)
                print("  --> TEST lines:", mean_lines, "best score:", best_score)
            if games % SAVE_EVERY_GAMES == 0:
                t0 = time.perf_counter()
                torch.save(model, "trained_models/tetris_{}".format(games))
                add_time("checkpoint", t0)
            t0 = time.perf_counter()
            frames = []
            state = torch.from_numpy(env.reset())
            add_time("env.reset", t0)

    wall = time.perf_counter() - start
    stages = dict(tetris.T)
    stages["other"] = wall - sum(stages.values())
    if os.environ.get("WILD_TRUTH"):
        with open(os.environ["WILD_TRUTH"], "w") as f:
            json.dump({"wall_seconds": wall, "stages": stages, "env_steps": steps,
                       "episodes": games, "updates": updates}, f)
    print("done, steps", steps, "games", games, "updates", updates)


if __name__ == "__main__":
    train()
