"""Stands in for a fault project's `agent.py`: the same learner and loop, beside an event loop; each step of
the game runs in a thread of a pool."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor

from agent_alone import BATCH, STEPS_PER_UPDATE, QAgent, ReplayMemory


async def answer_clients(scores):
    """What a server does beside the training: tell how it goes, some times a second."""
    while True:
        await asyncio.sleep(0.05)
        json.dumps({"scores": scores[-20:], "time": time.time()})


async def train(env, seconds):
    loop, scores = asyncio.get_running_loop(), [0.0]
    server = asyncio.create_task(answer_clients(scores))
    with ThreadPoolExecutor(2) as pool:
        obs = await loop.run_in_executor(pool, env.reset)
        agent, memory = QAgent(len(obs), env.n_actions), ReplayMemory(len(obs))
        steps, deadline = 0, time.monotonic() + seconds
        while time.monotonic() < deadline:
            action = agent.select_action(obs)
            next_obs, reward, done, _ = await loop.run_in_executor(pool, env.step, action)
            memory.push(obs, action, reward, next_obs, float(done))
            scores[-1] += reward
            obs = next_obs
            if done:
                scores.append(0.0)
                obs = await loop.run_in_executor(pool, env.reset)
            steps += 1
            if steps % STEPS_PER_UPDATE == 0 and memory.added >= BATCH:
                agent.train_step(memory.sample())
    server.cancel()


def learn(env, seconds):
    """Train for some seconds."""
    asyncio.run(train(env, seconds))
