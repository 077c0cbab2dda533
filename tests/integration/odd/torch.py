import torch, copy, pickle
torch.manual_seed(0)
class Game:
    def reset(self): return torch.zeros(2)
    def step(self, action):
        given = torch.ones(2, requires_grad=True)
        return given * 2, given.sum(), (given > 2).any(), torch.tensor(False), {}
class Net(torch.nn.Module):
    def __init__(self): super().__init__(); self.inner = torch.nn.Linear(2, 2)
    def forward(self, x, fail=False):
        if fail: raise LookupError('in forward')
        return self.inner(x)
    def get_action_and_value(self, x): return self(x).argmax().item(), self(x).sum()
class Mine(torch.Tensor): pass
class Hostile(torch.nn.Module):
    def __getattr__(self, name): raise KeyError(name)
net, game = Net(), Game()
optimizer = torch.optim.Adam(net.parameters())
for number in range(45):
    state, reward, *_ = game.step(number)
    action, value = net.get_action_and_value(state.detach())
    optimizer.zero_grad(); (value * reward).backward(); optimizer.step()
print(round(value.item(), 4), action, net(torch.ones(2).as_subclass(Mine)).__class__.__name__)
for call in (lambda: net(torch.ones(2), fail=True), lambda: net(), lambda: net(torch.ones(3)), lambda: Hostile()(1)):
    try: call()
    except Exception as error: print(type(error).__name__, str(error)[:40])
again = pickle.loads(pickle.dumps(net)); print(again(torch.ones(2)).shape, copy.deepcopy(net)(torch.ones(2)).shape)
handle = net.register_forward_hook(lambda module, given, result: result + 1); print(net(torch.zeros(2)).shape); handle.remove()
with torch.inference_mode(): print(net(torch.ones(2)).requires_grad)
print(torch.jit.trace(net, torch.ones(2))(torch.ones(2)).shape, torch.vmap(net)(torch.ones(3, 2)).shape)
print(bool(torch.tensor(1)), int(torch.tensor(2)), float(torch.tensor(3.0)), [1, 2, 3][torch.tensor(1)], torch.ones(2).tolist())
closure = torch.optim.LBFGS(net.parameters(), max_iter=2)
def loss():
    closure.zero_grad(); out = net(torch.ones(2)).square().sum(); out.backward(); return out
print(closure.step(loss).shape, torch.autograd.grad(net(torch.ones(2)).sum(), net.inner.bias)[0].tolist())
torch.optim.lr_scheduler.StepLR(optimizer, 1).step(); optimizer.step(); print(optimizer.param_groups[0]['lr'])
