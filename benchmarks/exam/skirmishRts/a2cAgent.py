import torch
import torch.nn as nn
import torch.nn.functional as F

from skirmishEnv import CHANNELS, GRID, ACTIONS

class PolicyNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(CHANNELS, 16, 3, padding=1), nn.ReLU(),
                                  nn.Conv2d(16, 32, 3, stride=2, padding=1), nn.ReLU(), nn.Flatten())
        self.body = nn.Sequential(nn.Linear(32 * (GRID // 2) ** 2 + 6, 128), nn.ReLU())
        self.policyHead = nn.Linear(128, len(ACTIONS))
        self.valueHead = nn.Linear(128, 1)
    def forward(self, obs):
        split = CHANNELS * GRID * GRID
        planes = obs[:, :split].view(-1, CHANNELS, GRID, GRID)
        hidden = self.body(torch.cat([self.conv(planes), obs[:, split:]], dim=1))
        return self.policyHead(hidden), self.valueHead(hidden).squeeze(-1)

class A2CAgent:
    def __init__(self, gamma=0.99, lr=7e-4, entropyCoef=0.01):
        self.net = PolicyNet()
        self.optimizer = torch.optim.RMSprop(self.net.parameters(), lr=lr, eps=1e-5)
        self.gamma, self.entropyCoef = gamma, entropyCoef
    def distribution(self, logits, mask):
        return torch.distributions.Categorical(logits=logits.masked_fill(mask < 0.5, -1e9))
    @torch.no_grad()
    def chooseActions(self, obs, mask):
        logits, _ = self.net(obs)
        return self.distribution(logits, mask).sample()
    @torch.no_grad()
    def computeReturns(self, rewards, dones, lastObs):
        _, running = self.net(lastObs)
        returns = []
        for reward, done in zip(reversed(rewards), reversed(dones)):
            running = reward + self.gamma * running * (1.0 - done)
            returns.insert(0, running)
        return torch.cat(returns)
    def learn(self, obs, masks, actions, returns):
        logits, values = self.net(obs)
        dist = self.distribution(logits, masks)
        advantage = returns - values
        policyLoss = -(dist.log_prob(actions) * advantage.detach()).mean()
        loss = policyLoss + 0.5 * F.mse_loss(values, returns) - self.entropyCoef * dist.entropy().mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.optimizer.step()
        return loss.item()
