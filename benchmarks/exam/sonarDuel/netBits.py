import torch
import torch.nn as nn
from stable_baselines3.common.buffers import DictRolloutBuffer
from stable_baselines3.common.policies import MultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from ticker import ticker


class SonarEars(BaseFeaturesExtractor):
    """circular conv over the ray ring, small mlp for the dials"""

    def __init__(self, observation_space, outDim=96):
        super().__init__(observation_space, outDim)
        nCh, nRays = observation_space["ping"].shape
        nDials = observation_space["panel"].shape[0]
        self.ring = nn.Sequential(
            nn.Conv1d(nCh, 24, 5, padding=2, padding_mode="circular"), nn.ReLU(),
            nn.Conv1d(24, 32, 3, stride=2, padding=1, padding_mode="circular"), nn.ReLU(), nn.Flatten())
        with torch.no_grad():
            n = self.ring(torch.zeros(1, nCh, nRays)).shape[1]
        self.dials = nn.Sequential(nn.Linear(nDials, 32), nn.Tanh())
        self.mix = nn.Sequential(nn.Linear(n + 32, outDim), nn.ReLU())

    def forward(self, obs):
        return self.mix(torch.cat((self.ring(obs["ping"]), self.dials(obs["panel"])), 1))


class HelmPolicy(MultiInputActorCriticPolicy):
    def forward(self, obs, deterministic=False):
        ticker.push("act")
        out = super().forward(obs, deterministic)
        ticker.pop()
        return out

    def predict_values(self, obs):      # only for the bootstrap at the rollout's end
        ticker.push("learn.returns")
        out = super().predict_values(obs)
        ticker.pop()
        return out


class Locker(DictRolloutBuffer):
    def add(self, *a, **kw):
        ticker.push("replay.add")
        super().add(*a, **kw)
        ticker.pop()

    def compute_returns_and_advantage(self, *a, **kw):
        ticker.push("learn.returns")
        super().compute_returns_and_advantage(*a, **kw)
        ticker.pop()

    def get(self, batch_size=None):
        it = super().get(batch_size)
        while True:
            ticker.push("replay.sample")
            piece = next(it, None)
            ticker.pop()
            if piece is None:
                return
            ticker.nGrad += 1
            yield piece
