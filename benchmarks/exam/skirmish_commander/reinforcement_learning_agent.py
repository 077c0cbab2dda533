import random
import numpy as np
import torch
from torch import nn
from battlefield import BATTLEFIELD_HEIGHT, BATTLEFIELD_WIDTH
from game_controller import NUMBER_OF_ACTIONS, NUMBER_OF_PLANES
from prioritized_replay_memory import PrioritizedReplayMemory
from stopwatch import stopwatch

def build_network():
    return nn.Sequential(
        nn.Conv2d(NUMBER_OF_PLANES, 16, 3, padding=1), nn.ReLU(),
        nn.Conv2d(16, 16, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten(),
        nn.Linear(16 * (BATTLEFIELD_HEIGHT // 2) * (BATTLEFIELD_WIDTH // 2), 128), nn.ReLU(),
        nn.Linear(128, NUMBER_OF_ACTIONS))

class RLAgent:
    def __init__(self, discount_factor=0.98, learning_rate=5e-4, batch_size=64):
        self.online_network, self.target_network = build_network(), build_network()
        self.target_network.load_state_dict(self.online_network.state_dict())
        self.optimizer = torch.optim.Adam(self.online_network.parameters(), lr=learning_rate)
        self.replay_memory = PrioritizedReplayMemory()
        self.discount_factor, self.batch_size = discount_factor, batch_size
        self.exploration_rate, self.number_of_updates = 1.0, 0

    def choose_action(self, observation, legal_action_mask, explore=True):
        with stopwatch.section("act"):
            if explore and random.random() < self.exploration_rate:
                return int(np.random.choice(np.flatnonzero(legal_action_mask)))
            with torch.no_grad():
                q_values = self.online_network(torch.from_numpy(observation).unsqueeze(0))[0].numpy()
            return int(np.where(legal_action_mask, q_values, -np.inf).argmax())

    def remember(self, *transition):
        with stopwatch.section("replay.add"):
            self.replay_memory.remember(transition)

    def learn_from_memory(self):
        with stopwatch.section("replay.sample"):
            tree_indices, weights, columns = self.replay_memory.sample_batch(self.batch_size)
        with stopwatch.section("learn.update"):
            observations, actions, rewards, next_observations, next_masks, game_overs = columns
            observations, next_observations = torch.from_numpy(observations), torch.from_numpy(next_observations)
            with torch.no_grad():
                next_online = self.online_network(next_observations).masked_fill(~torch.from_numpy(next_masks), -1e9)
                best_next_actions = next_online.argmax(1, keepdim=True)
                next_values = self.target_network(next_observations).gather(1, best_next_actions).squeeze(1)
                not_over = 1.0 - torch.tensor(game_overs, dtype=torch.float32)
                targets = torch.tensor(rewards, dtype=torch.float32) + self.discount_factor * next_values * not_over
            predictions = self.online_network(observations).gather(1, torch.from_numpy(actions).unsqueeze(1)).squeeze(1)
            errors = targets - predictions
            loss = (torch.from_numpy(weights) * nn.functional.smooth_l1_loss(predictions, targets, reduction="none")).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.number_of_updates += 1
            if self.number_of_updates % 250 == 0:
                self.target_network.load_state_dict(self.online_network.state_dict())
        with stopwatch.section("replay.update"):
            self.replay_memory.update_priorities(tree_indices, errors.detach().numpy())
        return loss.item()
