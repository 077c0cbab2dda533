import asyncio, inspect
class Game:
    def reset(self): return 0
    async def step(self, action):
        await asyncio.sleep(0)
        if action == 3: raise ValueError('three')
        return action, 1.0, False, {}
class Lazy:
    def reset(self): return 0
    def step(self, action):
        got = yield action
        try:
            yield got
        finally:
            print('closed')
        return 'end'
class Stream:
    def reset(self): return 0
    async def step(self, action):
        for number in range(action): yield number
async def main():
    game = Game()
    print(await asyncio.gather(*(game.step(number) for number in range(5)), return_exceptions=True))
    try:
        await asyncio.wait_for(game.step(1), 5)
        task = asyncio.create_task(game.step(2)); task.cancel(); await task
    except asyncio.CancelledError as error: print(repr(error))
    print([x async for x in Stream().step(3)])
print(inspect.iscoroutinefunction(Game.step), inspect.isgeneratorfunction(Lazy.step), inspect.isasyncgenfunction(Stream.step))
asyncio.run(main())
lazy = Lazy().step(5)
print(next(lazy), lazy.send('x')); lazy.close()
print(list(Lazy().step(1)))
never = Game().step(1); never.close()
