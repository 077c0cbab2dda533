"""Runs a whole training in a thread of a pool, beside an event loop."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

from train import embedded


async def answer_clients():
    """What a server does beside the training: tell that it is there, some times a second."""
    while True:
        await asyncio.sleep(0.05)
        json.dumps({"time": time.time()})


async def serve():
    server = asyncio.create_task(answer_clients())
    with ThreadPoolExecutor(2) as pool:
        await asyncio.get_running_loop().run_in_executor(pool, embedded)
    server.cancel()


if __name__ == "__main__":
    asyncio.run(serve())
