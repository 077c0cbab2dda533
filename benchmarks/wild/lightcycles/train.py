import json
import math
import os
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from operator import mul
from time import perf_counter_ns, thread_time_ns

import numpy as np
import torch
from torch import nn

from arena import OBSERVATION_LENGTH, LightCycleArena

torch.set_num_threads(1)
torch.manual_seed(1982)
HOW_MANY_THREADS = 4
MATCHES_PER_ROUND = 8


class Timesheet:
    """One per match; a match is played by one thread from start to end."""

    def __init__(self):
        self.hours, self.cpu_at_start = {}, thread_time_ns()
        self.open_jobs = ["playing"]
        self.started_at = self.last_look = perf_counter_ns()
        self.worker = threading.get_ident()

    def clock_in(self, job):
        now = perf_counter_ns()
        self.hours[self.open_jobs[-1]] = self.hours.get(self.open_jobs[-1], 0) + now - self.last_look
        self.open_jobs.append(job)
        self.last_look = now

    def clock_out(self):
        now = perf_counter_ns()
        job = self.open_jobs.pop()
        self.hours[job] = self.hours.get(job, 0) + now - self.last_look
        self.last_look = now

    def go_home(self):
        self.clock_out()
        self.cpu_used = thread_time_ns() - self.cpu_at_start


class DriverNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.eyes_of_the_driver = nn.Linear(OBSERVATION_LENGTH, 40)
        self.turn_scores = nn.Linear(40, 3)
        self.critic = nn.Sequential(nn.Linear(OBSERVATION_LENGTH, 96), nn.Tanh(), nn.Linear(96, 1))

    def forward(self, observations):
        return self.turn_scores(torch.tanh(self.eyes_of_the_driver(observations))), self.critic(observations).squeeze(-1)

    def copy_driver_into_plain_lists(self):
        return [tensor.detach().tolist() for layer in (self.eyes_of_the_driver, self.turn_scores) for tensor in (layer.weight, layer.bias)]


def pick_turn_with_plain_lists(driver, observation, dice):
    rows_1, biases_1, rows_2, biases_2 = driver
    hidden = [math.tanh(sum(map(mul, row, observation)) + bias) for row, bias in zip(rows_1, biases_1)]
    scores = [sum(map(mul, row, hidden)) + bias for row, bias in zip(rows_2, biases_2)]
    highest = max(scores)
    return dice.choices((0, 1, 2), [math.exp(score - highest) for score in scores])[0]


def play_one_match(driver, seed):
    sheet = Timesheet()
    dice = random.Random(seed)
    arena = LightCycleArena(seed, sheet)
    sheet.clock_in("new match")
    arena.start_new_match()
    sheet.clock_out()
    observations, turns, rewards, finished = [], [], [], False
    while not finished:
        sheet.clock_in("looking")
        observation = arena.describe_what_the_player_sees()
        sheet.clock_out()
        sheet.clock_in("picking")
        turn_index = pick_turn_with_plain_lists(driver, observation, dice)
        sheet.clock_out()
        reward, finished = arena.advance_one_tick(turn_index - 1)
        observations.append(observation)
        turns.append(turn_index)
        rewards.append(reward)
    sheet.go_home()
    return observations, turns, rewards, sheet


class Trainer:
    def __init__(self):
        self.network = DriverNetwork()
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.pool = ThreadPoolExecutor(max_workers=HOW_MANY_THREADS)
        self.rounds = self.ticks = self.matches = self.updates = 0
        self.time_by_job, self.cpu_of_threads = {}, 0
        self.returns_of_matches, self.lengths_of_matches = [], []

    def book(self, job, nanoseconds):
        self.time_by_job[job] = self.time_by_job.get(job, 0) + nanoseconds

    def book_waiting(self, waited, sheets):
        last_one = max(sheets, key=lambda sheet: sheet.last_look).worker
        for sheet in sheets:
            self.cpu_of_threads += sheet.cpu_used
            if sheet.worker == last_one:
                for job, hours in sheet.hours.items():
                    self.book(job, hours)
                    waited -= hours
        self.book("pool", waited)

    def discounted_returns(self, rewards_of_matches):
        all_returns = []
        for rewards in rewards_of_matches:
            running, backwards = 0.0, []
            for reward in reversed(rewards):
                running = reward + 0.97 * running
                backwards.append(running)
            all_returns.extend(reversed(backwards))
        return torch.tensor(all_returns, dtype=torch.float32)

    def improve_network(self, observations, turns, returns):
        observations, turns = torch.tensor(observations), torch.tensor(turns)
        with torch.no_grad():
            scores, values = self.network(observations)
            old_log_chances = torch.log_softmax(scores, 1).gather(1, turns[:, None])[:, 0]
            advantages = returns - values
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        for _ in range(4):
            for part in torch.randperm(len(turns)).split(64):
                scores, values = self.network(observations[part])
                log_chances = torch.log_softmax(scores, 1)
                ratio = (log_chances.gather(1, turns[part, None])[:, 0] - old_log_chances[part]).exp()
                gain = torch.min(ratio * advantages[part], ratio.clamp(0.8, 1.2) * advantages[part]).mean()
                entropy = -(log_chances.exp() * log_chances).sum(1).mean()
                loss = -gain + 0.5 * (values - returns[part]).pow(2).mean() - 0.01 * entropy
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.updates += 1
        return loss.item()

    def run(self, seconds):
        started = mark = perf_counter_ns()
        while mark - started < seconds * 1e9:
            driver = self.network.copy_driver_into_plain_lists()
            now = perf_counter_ns(); self.book("weights", now - mark); mark = now
            futures = [self.pool.submit(play_one_match, driver, self.matches + i) for i in range(MATCHES_PER_ROUND)]
            results = [future.result() for future in futures]
            now = perf_counter_ns(); waited = now - mark; mark = now
            self.book_waiting(waited, [sheet for *_, sheet in results])
            observations = [o for match in results for o in match[0]]
            turns = [t for match in results for t in match[1]]
            self.matches += MATCHES_PER_ROUND
            self.ticks += len(turns)
            self.returns_of_matches += [sum(match[2]) for match in results]
            self.lengths_of_matches += [len(match[2]) for match in results]
            now = perf_counter_ns(); self.book("leftover", now - mark); mark = now
            returns = self.discounted_returns([match[2] for match in results])
            now = perf_counter_ns(); self.book("returns", now - mark); mark = now
            loss = self.improve_network(observations, turns, returns)
            now = perf_counter_ns(); self.book("improving", now - mark); mark = now
            self.rounds += 1
            if self.rounds % 10 == 0:
                print(f"round {self.rounds}: mean return {np.mean(self.returns_of_matches[-80:]):.2f}, mean length "
                      f"{np.mean(self.lengths_of_matches[-80:]):.1f}, loss {loss:.3f}", flush=True)
                now = perf_counter_ns(); self.book("printing", now - mark); mark = now
        now = perf_counter_ns(); self.book("leftover", now - mark)
        self.pool.shutdown()
        return now - started


trainer = Trainer()
wall = trainer.run(float(os.environ.get("WILD_SECONDS", 20)))
stage_of_job = {"playing": "other", "new match": "env.reset", "looking": "env.observe", "picking": "act", "tick": "env.step+env.reward",
                "bots": "env.opponent", "pool": "vec.*", "weights": "other", "leftover": "other", "returns": "learn.returns",
                "improving": "learn.*", "printing": "log"}
if os.environ.get("WILD_TRUTH"):
    stages = {}
    for job, nanoseconds in trainer.time_by_job.items():
        stages[stage_of_job[job]] = stages.get(stage_of_job[job], 0) + nanoseconds / 1e9
    with open(os.environ["WILD_TRUTH"], "w") as file:
        json.dump({"wall_seconds": wall / 1e9, "stages": stages, "env_steps": trainer.ticks, "episodes": trainer.matches, "updates": trainer.updates,
                   "note": "Whole matches run in 4 pool threads, 8 per round; the main thread waits. Each round's waiting is split by the wall clocks of "
                           "the thread whose last match ended last (both, or more, of its matches); the rest is vec.*. A thread's wall clocks "
                           "include its waiting for the GIL, wherever it happens (acting is plain Python lists, so no "
                           "call gives the GIL up). env.opponent = the bots' select_action inside advance_one_tick. other includes "
                           "copying the weights into lists and the lines between the clocks in play_one_match. CPU "
                           f"seconds of all pool threads together: {trainer.cpu_of_threads / 1e9:.2f}."}, file, indent=1)
