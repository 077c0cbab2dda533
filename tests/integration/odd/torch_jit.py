import warnings

import torch

warnings.simplefilter("always")
torch.manual_seed(0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.inner(x) * 2


net = Net()
traced = torch.jit.trace(net, torch.ones(3, 4))
print(traced(torch.ones(2, 4)).tolist() == net(torch.ones(2, 4)).tolist())
scripted = torch.jit.script(net)
print(scripted(torch.ones(2, 4)).tolist() == net(torch.ones(2, 4)).tolist())
print(str(traced.graph).count("aten::linear"), type(scripted).__name__)
with torch.no_grad():
    print(torch.func.functional_call(net, dict(net.named_parameters()), (torch.ones(1, 4),)).shape)
