import functools
class Bound:
    """A decorator that must be bound."""
    def __init__(self, function): self.function = function
    def __call__(self, *given): raise TypeError("not bound")
    def __get__(self, one, owner): return functools.partial(self.function, one, "bound")
class Counts:
    def __init__(self, name): self.name = name
    def __call__(self, *given): return self.name, given
class Game:
    def step(self, action): return action, 1.0, False, {}
    reset = Counts("reset")
    @Bound
    def action_masks(self, how): return how
    render = len
    compute_reward = max
    close = print
class Agent:
    select_action = Counts("act")
    learn = min
    @Bound
    def predict(self, how, state): return how, state
class ReplayBuffer:
    push = Counts("push"); sample = Counts("sample")
    def __len__(self): return 3
class Native:
    reset = len; step = print
for _ in range(3): print(Game().reset(1), Game().action_masks(), Game().render("abc"), Game().compute_reward([1, 2]), Game().step(2)); Game().close("c")
print(Agent().select_action(1), Agent().learn([1, 2]), Agent().predict(5), ReplayBuffer().push(1), ReplayBuffer().sample(2))
Native().step("native"); print(Native().reset("abc"))
