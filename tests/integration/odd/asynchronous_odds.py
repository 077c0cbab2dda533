import asyncio
import contextlib
import threading


class Game:
    async def reset(self):
        return 0

    async def step(self, action):
        await asyncio.sleep(0)
        if action == "never":
            await asyncio.Event().wait()
        if action == "bad":
            raise ValueError("bad")
        return action, 1.0, False, {}

    async def __aenter__(self):
        return self

    async def __aexit__(self, *failed):
        print("left", failed[0])

    async def observations(self):
        for turn in range(3):
            yield turn
            await asyncio.sleep(0)

    def __await__(self):
        return self.step("awaited").__await__()


async def main():
    game = Game()
    print(await game.step(1), await game, [turn async for turn in game.observations()])
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(0.02):
            await game.step("never")
    task = asyncio.create_task(game.step("never"))
    await asyncio.sleep(0)
    task.cancel()
    print(await asyncio.gather(task, game.step("bad"), game.step(2), return_exceptions=True))
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(game.step("never"))
            group.create_task(game.step("bad"))
    except* ValueError as found:
        print(found.exceptions)
    async with game:
        print(await asyncio.wait_for(game.step(3), 1), await asyncio.to_thread(threading.active_count) > 1)
    stream = game.observations()
    print(await anext(stream), await stream.aclose())
    coroutine = game.step(4)
    coroutine.close()
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    loop.call_soon(done.set_result, 5)
    print(await done, asyncio.iscoroutinefunction(game.step), asyncio.iscoroutinefunction(Game.reset))


asyncio.run(main())
print(asyncio.run(Game().step(6)))
