import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class AtaxxModel(nn.Module):
    def __init__(self, game, ch=32):
        super().__init__()
        n = game.n
        self.conv1 = nn.Conv2d(2, ch, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(ch)
        self.conv2 = nn.Conv2d(ch, ch, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(ch)
        self.fc = nn.Linear(ch * n * n, 128)
        self.piHead = nn.Linear(128, game.getActionSize())
        self.vHead = nn.Linear(128, 1)

    def forward(self, x):
        x = F.relu(self.bn1(self.conv1(x)))
        x = F.relu(self.bn2(self.conv2(x)))
        x = F.relu(self.fc(x.flatten(1)))
        return F.log_softmax(self.piHead(x), dim=1), torch.tanh(self.vHead(x))


class NetWrapper:
    def __init__(self, game, args):
        self.args = args
        self.model = AtaxxModel(game)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=args.lr)

    @staticmethod
    def toPlanes(boards):
        boards = np.asarray(boards)
        return torch.from_numpy(np.stack([boards == 1, boards == -1], axis=1).astype(np.float32))

    def predict(self, board):
        self.model.eval()
        with torch.no_grad():
            logPi, v = self.model(self.toPlanes(board[None]))
        return torch.exp(logPi)[0].numpy(), float(v[0, 0])

    def trainBatch(self, boards, pis, vs):
        self.model.train()
        x = self.toPlanes(boards)
        targetPi = torch.tensor(np.array(pis), dtype=torch.float32)
        targetV = torch.tensor(vs, dtype=torch.float32)
        logPi, v = self.model(x)
        lossPi = -(targetPi * logPi).sum(1).mean()
        lossV = F.mse_loss(v[:, 0], targetV)
        self.opt.zero_grad()
        (lossPi + lossV).backward()
        self.opt.step()
        return lossPi.item(), lossV.item()

    def saveCheckpoint(self, path):
        torch.save({"model": self.model.state_dict(), "opt": self.opt.state_dict()}, path)

    def loadCheckpoint(self, path):
        d = torch.load(path)
        self.model.load_state_dict(d["model"])
        self.opt.load_state_dict(d["opt"])
