"""torch in loops of one's own: acting and learning told apart, data loading, writers, compilation."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch")

ONE_FILE_PPO = """
import json
import gymnasium as gym
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.tensorboard import SummaryWriter
torch.set_num_threads(1)

class Corridor(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (8,), np.float32)
    action_space = gym.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = 0
        return np.zeros(8, np.float32), {}
    def step(self, action):
        self.at += 1
        return np.zeros(8, np.float32), 1.0, self.at >= 11, False, {}

class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh())
        self.actor, self.critic = nn.Linear(64, 2), nn.Linear(64, 1)
    def forward(self, x):
        hidden = self.body(x)
        return self.actor(hidden), self.critic(hidden)

envs = gym.vector.SyncVectorEnv([Corridor] * 4)
agent, writer = Agent(), SummaryWriter('tb')
optimizer = torch.optim.Adam(agent.parameters())
obs = torch.as_tensor(envs.reset(seed=0)[0])
steps = updates = ended = acted = 0
over = np.zeros(4, bool)
for update in range(12):
    seen = []
    for _ in range(32):
        with torch.no_grad():
            logits, value = agent(obs)
        acted += 1
        action = torch.distributions.Categorical(logits=logits).sample()
        obs, reward, terminated, truncated, infos = envs.step(action.numpy())
        steps += 4 - int(over.sum())  # the step after an end only resets
        over = terminated | truncated
        ended += int(over.sum())
        obs = torch.as_tensor(obs)
        seen.append(obs)
    for (batch,) in DataLoader(TensorDataset(torch.cat(seen)), batch_size=32, shuffle=True):
        logits, value = agent(batch)
        loss = logits.logsumexp(-1).mean() + value.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
        optimizer.step()
        updates += 1
    writer.add_scalar('loss', loss.item(), update)
writer.close()
torch.save(agent.state_dict(), 'agent.pt')
print(json.dumps({'steps': steps, 'updates': updates, 'episodes': ended, 'acted': acted, 'items': 12}))
"""


@pytest.fixture(scope="module")
def ppo(record: Callable[..., Any]) -> Any:
    return record(ONE_FILE_PPO)


@pytest.mark.slow
def test_counts_of_a_one_file_trainer(ppo: Any) -> None:
    assert ppo.exit_code == 0, ppo.stderr
    speed, truth = ppo.report["throughput"], ppo.truth
    assert (speed["env_steps"], speed["updates"], speed["episodes"]) == (
        truth["steps"],
        truth["updates"],
        truth["episodes"],
    )
    reads = speed["counters"]["tensor_reads:item"]
    assert reads >= truth["items"], "torch's own code reads tensors too"
    assert reads < truth["items"] + 2 * truth["updates"], "but Adam's own, eight an update, do not count"


@pytest.mark.slow
def test_forward_passes_for_acting_and_for_learning_are_told_apart(ppo: Any) -> None:
    calls = whole_run_calls(ppo)
    assert calls["act"] == pytest.approx(ppo.truth["acted"], abs=2)
    assert calls["learn.forward"] == pytest.approx(ppo.truth["updates"], abs=2)
    assert calls["learn.backward"] == ppo.truth["updates"]


def whole_run_calls(run: Any) -> dict[str, int]:
    """Calls per stage over the whole run: the report's are of the steady phase only."""
    from goldsplit.store.reader import read_run

    calls: dict[str, int] = {}
    for process in read_run(run.run_dir).processes:
        last: dict[Any, Any] = {}
        for snapshot in process.snapshots:
            last |= snapshot.nodes
        for key, totals in last.items():
            stage = process.nodes[key].stage
            calls[stage] = calls.get(stage, 0) + totals.count
    return calls


@pytest.mark.slow
def test_loaders_writers_and_checkpoints_have_their_stages(ppo: Any) -> None:
    calls = whole_run_calls(ppo)
    assert calls["replay.sample"] >= ppo.truth["updates"]
    assert calls["log"] >= 12
    assert calls["checkpoint"] >= 1
    assert {"learn.backward", "learn.optimizer", "learn.forward", "act", "env.step"} <= ppo.stages()
    ppo.check_sums()


COMPILED = """
import torch
torch.set_num_threads(1)
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
    def forward(self, x): return torch.relu(self.inner(x)) + 1
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
fast = torch.compile(net, backend=BACKEND, fullgraph=True)
x = torch.ones(3, 4)
assert torch.allclose(fast(x), net(x), atol=1e-5)
graphs = torch._dynamo.utils.counters['stats']['unique_graphs']
for _ in range(60):
    loss = fast(x).sum(); optimizer.zero_grad(); loss.backward(); optimizer.step()
assert torch.allclose(fast(x), net(x), atol=1e-5)
def reads(x): return x * 2 if x.sum() > 0 else x
assert torch.compile(reads, backend='eager')(x).sum().item() == 24
print('graphs', graphs, torch._dynamo.utils.counters['stats']['unique_graphs'])
"""


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["eager", "inductor"])
def test_torch_compile_is_left_working(record: Callable[..., Any], backend: str) -> None:
    """Whole graphs stay whole, and calling again compiles nothing again."""
    if backend == "inductor" and not (shutil.which("g++") or shutil.which("clang++")):
        pytest.skip("no C++ compiler here")
    if backend == "inductor" and " " in sys.prefix:
        pytest.skip("torch does not quote its own include path, which has a space here")
    run = record(COMPILED.replace("BACKEND", repr(backend)))
    assert run.exit_code == 0, run.stderr
    assert "graphs 1 " in run.stdout
    run.check_sums()


NUMBA = """
import numba, numpy as np, time
@numba.njit
def fill(n):
    total = 0
    for i in range(n): total += i
    print('inside', total)
    return total
class Game:
    def reset(self): return 0
    def step(self, action): return fill(10), 0.0, False, False, {}
game = Game(); game.reset()
end = time.monotonic() + 0.5
for _ in range(5): game.step(0)
while time.monotonic() < end: sum(range(1000))
"""


@pytest.mark.slow
def test_numba_compiles_and_its_compilation_is_start_up(record: Callable[..., Any]) -> None:
    pytest.importorskip("numba")
    run = record(NUMBA)
    assert run.exit_code == 0, run.stderr
    assert run.stdout == "inside 45\n" * 5
    assert whole_run_calls(run)["startup"] >= 1


COMPILED_METHODS = """
import torch, goldsplit
torch.set_num_threads(1)
class Agent(torch.nn.Module):
    '''As in one-file trainers: methods of an agent have the usual names, so they are stages.'''
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
    def forward(self, x): return self.get_value(x)
    def get_value(self, x): return self.inner(x).relu()
    def compute_loss(self, x): return self.get_value(x).sum()
    def marked(self, x):
        with goldsplit.stage('act.value'):
            return self.inner(x) + 1
class Env:
    def reset(self): return 0
    def step(self, action): return torch.ones(4) * action, 1.0, False, False, {}
agent, x, env = Agent(), torch.ones(3, 4), Env()
def compiled(fn, **options): return torch.compile(fn, backend='eager', **options)
whole, loss = compiled(agent, fullgraph=True), compiled(agent.compute_loss, fullgraph=True)
for _ in range(20):
    assert torch.equal(whole(x), agent(x))
    assert torch.equal(loss(x), agent.compute_loss(x))
graphs = torch._dynamo.utils.counters['stats']['unique_graphs']
marked, step, says = compiled(agent.marked), compiled(env.step), compiled(lambda y: (print('said'), y + 1)[1])
for _ in range(20):
    assert torch.equal(marked(x), agent.marked(x))
    assert torch.equal(step(2)[0], env.step(2)[0])
assert torch.equal(says(x), x + 1)
print('graphs', graphs)
"""


@pytest.mark.slow
def test_compiled_methods_with_stages(record: Callable[..., Any]) -> None:
    """Methods that are stages can be compiled as before: whole, once, with the same results."""
    run = record(COMPILED_METHODS)
    assert run.exit_code == 0, run.stderr
    assert run.stdout == "said\ngraphs 2\n"


SCRIPTED = """
import torch
class Agent(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
    def get_value(self, x: torch.Tensor) -> torch.Tensor: return torch.relu(self.inner(x))
    def forward(self, x: torch.Tensor) -> torch.Tensor: return self.get_value(x) * 2
agent, x = Agent(), torch.ones(2, 4)
print(torch.equal(torch.jit.script(agent)(x), agent(x)), torch.equal(torch.jit.trace(agent, x)(x), agent(x)))
"""


@pytest.mark.slow
def test_torchscript_of_methods_with_stages(record: Callable[..., Any]) -> None:
    run = record(SCRIPTED, env={"PYTHONWARNINGS": "ignore"})
    assert run.exit_code == 0, run.stderr
    assert run.stdout == "True True\n"


JITCLASS = """
import numba
from numba.experimental import jitclass
import rules
@jitclass([('t', numba.int64)])
class Grid:
    def __init__(self): self.t = 0
    def reset(self):
        self.t = 0
        return self.t
    def step(self, action):
        self.t += action
        return self.t, 1.0, self.t > 10
grid = Grid()
grid.reset()
for _ in range(20): result = grid.step(1)
print(result[0], rules.field(3), rules.reach(4))
"""


@pytest.mark.slow
def test_numba_classes_and_functions_stay_compilable(record: Callable[..., Any]) -> None:
    """numba compiles from the user's own functions, never from our wrappers around them."""
    pytest.importorskip("numba")
    rules = "import numba\n@numba.njit\ndef reach(n): return n * 2\n"
    rules += "@numba.njit\ndef field(n): return reach(n) + 1\n"
    run = record(
        JITCLASS, files={"rules.py": rules}, options=("--no-stacks", "--stage", "rules:reach=env.mask")
    )
    assert run.stdout == "20 7 8\n", run.stderr
    assert run.exit_code in (0, 2), "the compiled target may be refused, with a hint; the program works"


@pytest.mark.parametrize("core", ["python", "compiled"])
def test_both_cores_count_and_split_alike(record: Callable[..., Any], core: str) -> None:
    """Where goldsplit could not be compiled, the core in Python does the same."""
    run = record(TWO_CORES, env={"GOLDSPLIT_CORE": core})
    assert run.exit_code == 0, run.stderr
    assert {"act", "env.step", "learn.forward", "learn.backward", "learn.optimizer"} <= run.stages()
    speed = run.report["throughput"]
    assert (speed["env_steps"], speed["episodes"], speed["updates"]) == (300, 30, 300)
    assert run.share("env.step") > 0.2


TWO_CORES = """
import time, torch
class Game:
    def reset(self): self.turn = 0; return torch.zeros(4)
    def step(self, action):
        self.turn += 1
        time.sleep(0.002)
        return torch.ones(4), 1.0, self.turn % 10 == 0, False, {}
game, net = Game(), torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.Adam(net.parameters())
game.reset()
for _ in range(300):
    with torch.no_grad(): action = int(net(torch.ones(1, 4)).argmax())
    observation, reward, done, cut, info = game.step(action)
    loss = net(torch.ones(16, 4)).square().mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
"""
