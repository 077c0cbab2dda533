import torch as th
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import nn

from clk import clk


class Eyes(BaseFeaturesExtractor):
    def __init__(self, observation_space, features_dim=96):
        super().__init__(observation_space, features_dim)
        c = observation_space.shape[0]
        self.cnn = nn.Sequential(
            nn.Conv2d(c, 12, 6, stride=3), nn.ReLU(),
            nn.Conv2d(12, 24, 4, stride=2), nn.ReLU(), nn.Flatten())
        with th.no_grad():
            n = self.cnn(th.zeros(1, *observation_space.shape)).shape[1]
        self.fc = nn.Sequential(nn.Linear(n, features_dim), nn.ReLU())

    def forward(self, x):
        return self.fc(self.cnn(x))


class Buf(ReplayBuffer):
    def sample(self, batch_size, env=None):
        with clk("replay.sample"):
            return super().sample(batch_size, env)


class RallyDQN(DQN):
    def _sample_action(self, *a, **k):
        with clk("act"):
            return super()._sample_action(*a, **k)

    def _store_transition(self, *a, **k):
        with clk("replay.add"):
            return super()._store_transition(*a, **k)

    def _on_step(self):                      # target net copy lives here
        with clk("learn.update"):
            super()._on_step()

    def train(self, gradient_steps, batch_size=100):
        with clk("learn.update"):
            super().train(gradient_steps, batch_size)

    def dump_logs(self):
        with clk("log"):
            super().dump_logs()
