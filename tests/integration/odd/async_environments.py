import asyncio, contextvars, sys
var = contextvars.ContextVar("var", default=0)
class Game:
    async def reset(self): return 0
    async def step(self, action): var.set(action); await asyncio.sleep(0); return action, float(var.get()), False, {}
class Iterates:
    def __init__(self): self.left = 3
    def reset(self): return 0
    def step(self, action): return self
    def __aiter__(self): return self
    async def __anext__(self):
        if not self.left: raise StopAsyncIteration
        self.left -= 1; return self.left
    async def __aenter__(self): return self
    async def __aexit__(self, *failed): return True
async def main():
    game = Game(); print(await game.reset(), await asyncio.gather(*(game.step(n) for n in range(4))))
    async with asyncio.TaskGroup() as group: tasks = [group.create_task(game.step(n)) for n in range(3)]
    print([t.result() for t in tasks], var.get())
    try:
        async with asyncio.timeout(0.01): await asyncio.Event().wait()
    except TimeoutError: print("timeout")
    print([n async for n in Iterates().step(1)])
    async with Iterates() as it: raise ValueError
    loop = asyncio.get_running_loop()
    print(await loop.run_in_executor(None, lambda: 5), await asyncio.to_thread(lambda: var.get()))
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(1)", stdout=-1); print(await process.communicate(), process.returncode)
    coroutine = game.step(1); coroutine.close()
    never = game.step(2)
    del never
asyncio.run(main(), debug=True)
class Loop(asyncio.SelectorEventLoop):
    def run_once(self): pass
loop = Loop(); print(loop.run_until_complete(Game().step(3))); loop.close()
with asyncio.Runner() as runner: print(runner.run(Game().step(4)))
raise SystemExit(asyncio.run(Game().step(5))[0])
