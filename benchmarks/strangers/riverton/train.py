"""Train a mayor for Riverton with advantage actor-critic."""
import json
import os
import random
import time

import numpy as np
import torch
from torch.distributions import Categorical

from configuration import CityConfig, TrainingConfig
from network import MayorNetwork
from simulation import City
from stopwatch import measured, measuring, seconds_by_stage


class Coach:
    def __init__(self, city_config: CityConfig, training_config: TrainingConfig, time_limit: float):
        self.city_config = city_config
        self.training_config = training_config
        self.time_limit = time_limit
        self.cities = [City(city_config, training_config.seed + index) for index in range(training_config.number_of_cities)]
        self.network = MayorNetwork(city_config.height, city_config.width)
        self.optimizer = torch.optim.RMSprop(self.network.parameters(), lr=training_config.learning_rate, alpha=0.99, eps=1e-5)
        self.months_played = 0
        self.cities_finished = 0
        self.updates_done = 0
        self.recent_scores = []
        self.running_scores = [0.0] * len(self.cities)
        self.last_losses = {}

    # -------------------------------------------------------------- collecting experience
    def look_at_cities(self):
        views = [city.describe() for city in self.cities]
        planes = np.stack([view[0] for view in views])
        numbers = np.stack([view[1] for view in views])
        masks = np.stack([city.affordable_actions() for city in self.cities])
        return torch.from_numpy(planes), torch.from_numpy(numbers), torch.from_numpy(masks)

    @measured("act")
    def decide(self, view):
        with torch.no_grad():
            logits, values = self.network(*view)
            actions = Categorical(logits=logits).sample()
        return actions, values

    def play_rollout(self):
        views, actions, rewards, dones, values = [], [], [], [], []
        for _ in range(self.training_config.rollout_length):
            view = self.current_view
            action, value = self.decide(view)
            reward_row, done_row = [], []
            for index, (city, choice) in enumerate(zip(self.cities, action.tolist())):
                reward, game_over = city.advance_month(choice)
                self.running_scores[index] += reward
                if game_over:
                    self.recent_scores.append((self.running_scores[index], city.total_population))
                    self.running_scores[index] = 0.0
                    self.cities_finished += 1
                    city.found_new_city()
                reward_row.append(reward)
                done_row.append(float(game_over))
            self.months_played += len(self.cities)
            views.append(view)
            actions.append(action)
            values.append(value)
            rewards.append(reward_row)
            dones.append(done_row)
            self.current_view = self.look_at_cities()
        return views, actions, rewards, dones, values

    # -------------------------------------------------------------- learning
    @measured("learn.returns")
    def compute_advantages(self, rewards, dones, values):
        with torch.no_grad():
            _, next_value = self.network(*self.current_view)
        rewards = torch.tensor(rewards)
        dones = torch.tensor(dones)
        values = torch.stack(values)
        advantages = torch.zeros_like(rewards)
        running = torch.zeros(len(self.cities))
        for t in reversed(range(len(rewards))):
            alive = 1.0 - dones[t]
            delta = rewards[t] + self.training_config.discount * next_value * alive - values[t]
            running = delta + self.training_config.discount * self.training_config.gae_lambda * alive * running
            advantages[t] = running
            next_value = values[t]
        return advantages.flatten(), (advantages + values).flatten()

    @measured("learn.*")
    def improve(self, views, actions, advantages, targets):
        planes, numbers, masks = (torch.cat(parts) for parts in zip(*views))
        logits, values = self.network(planes, numbers, masks)
        distribution = Categorical(logits=logits)
        normalized = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        policy_loss = -(distribution.log_prob(torch.cat(actions)) * normalized).mean()
        value_loss = (values - targets).pow(2).mean()
        entropy = distribution.entropy().mean()
        loss = policy_loss + self.training_config.value_weight * value_loss - self.training_config.entropy_weight * entropy
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.training_config.max_gradient_norm)
        self.optimizer.step()
        self.updates_done += 1
        self.last_losses = {"policy": policy_loss.item(), "value": value_loss.item(), "entropy": entropy.item()}

    # -------------------------------------------------------------- everything else
    @measured("log")
    def report(self):
        scores = self.recent_scores[-20:]
        mean_score = sum(score for score, _ in scores) / max(1, len(scores))
        mean_population = sum(population for _, population in scores) / max(1, len(scores))
        losses = " ".join(f"{name}={value:.3f}" for name, value in self.last_losses.items())
        print(f"[update {self.updates_done:5d}] months={self.months_played} cities={self.cities_finished} "
              f"score={mean_score:.2f} population={mean_population:.1f} {losses}", flush=True)

    @measured("checkpoint")
    def save(self):
        torch.save({"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict(),
                    "updates": self.updates_done}, self.training_config.checkpoint_path)

    def evaluate_greedily(self):
        city = City(self.city_config, seed=12345)
        city.found_new_city()
        game_over = False
        while not game_over:
            planes, numbers = city.describe()
            with torch.no_grad():
                logits, _ = self.network(torch.from_numpy(planes)[None], torch.from_numpy(numbers)[None],
                                         torch.from_numpy(city.affordable_actions())[None])
            _, game_over = city.advance_month(int(logits.argmax()))
        return city.total_population

    def train(self):
        started = time.perf_counter()
        for city in self.cities:
            city.found_new_city()
        self.current_view = self.look_at_cities()
        while time.perf_counter() - started < self.time_limit:
            views, actions, rewards, dones, values = self.play_rollout()
            advantages, targets = self.compute_advantages(rewards, dones, values)
            self.improve(views, actions, advantages, targets)
            if self.updates_done % self.training_config.report_every_updates == 0:
                self.report()
            if self.updates_done % self.training_config.save_every_updates == 0:
                self.save()
            if self.updates_done % self.training_config.evaluate_every_updates == 0:
                with measuring("eval", silence_inner=True):
                    population = self.evaluate_greedily()
                print(f"    greedy mayor: {population:.1f} people", flush=True)
        return time.perf_counter() - started


def main():
    training_config = TrainingConfig()
    random.seed(training_config.seed)
    torch.manual_seed(training_config.seed)
    torch.set_num_threads(1)
    coach = Coach(CityConfig(), training_config, float(os.environ.get("WILD_SECONDS", 20)))
    wall_seconds = coach.train()
    stages = dict(seconds_by_stage)
    stages["other"] = max(0.0, wall_seconds - sum(stages.values()))
    result = {"wall_seconds": wall_seconds, "stages": stages, "env_steps": coach.months_played,
              "episodes": coach.cities_finished, "updates": coach.updates_done}
    path = os.environ.get("WILD_TRUTH")
    if path:
        with open(path, "w") as handle:
            json.dump(result, handle, indent=2)
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
