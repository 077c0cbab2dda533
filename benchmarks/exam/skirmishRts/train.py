import json, os
from time import perf_counter
import numpy as np
import torch
from a2cAgent import A2CAgent
from skirmishEnv import SkirmishEnv
from stopwatch import watch

NUM_ENVS, ROLLOUT, SAVE_EVERY = 4, 8, 50

def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    limit = float(os.environ.get("WILD_SECONDS", "20"))
    agent = A2CAgent()
    envs = [SkirmishEnv(100 + i) for i in range(NUM_ENVS)]
    envSteps = episodes = updates = wins = 0
    runningReturn = [0.0] * NUM_ENVS
    recentReturns = []

    watch.totals.clear()
    startTime = perf_counter()
    watch.push("other")
    observations = [env.reset() for env in envs]
    while perf_counter() - startTime < limit:
        batchObs, batchMasks, batchActions, batchRewards, batchDones = [], [], [], [], []
        for _ in range(ROLLOUT):
            masks = [env.actionMask() for env in envs]
            watch.push("act")
            obsTensor, maskTensor = torch.from_numpy(np.stack(observations)), torch.from_numpy(np.stack(masks))
            actions = agent.chooseActions(obsTensor, maskTensor)
            watch.pop()
            rewards, dones = [], []
            for i, env in enumerate(envs):
                obs, reward, done = env.step(int(actions[i]))
                envSteps += 1
                runningReturn[i] += reward
                if done:
                    episodes += 1
                    wins += env.engine.winner() == 0
                    recentReturns.append(runningReturn[i])
                    runningReturn[i] = 0.0
                    obs = env.reset()
                observations[i] = obs
                rewards.append(reward); dones.append(float(done))
            batchObs.append(obsTensor); batchMasks.append(maskTensor); batchActions.append(actions)
            batchRewards.append(torch.tensor(rewards, dtype=torch.float32)); batchDones.append(torch.tensor(dones))
        watch.push("learn.returns")
        returns = agent.computeReturns(batchRewards, batchDones, torch.from_numpy(np.stack(observations)))
        watch.pop()
        watch.push("learn.update")
        loss = agent.learn(torch.cat(batchObs), torch.cat(batchMasks), torch.cat(batchActions), returns)
        updates += 1
        watch.pop()
        if updates % 10 == 0:
            watch.push("log")
            mean = np.mean(recentReturns[-20:]) if recentReturns else float("nan")
            print(f"update {updates:5d} steps {envSteps:6d} episodes {episodes} wins {wins} return {mean:.2f} loss {loss:.3f}", flush=True)
            watch.pop()
        if updates % SAVE_EVERY == 0:
            watch.push("checkpoint")
            torch.save(agent.net.state_dict(), "skirmish.pt")
            watch.pop()
    watch.pop()
    wallSeconds = perf_counter() - startTime

    stages = dict(watch.totals)
    stages["other"] = wallSeconds - sum(v for k, v in stages.items() if k != "other")
    print({name: round(seconds, 2) for name, seconds in stages.items()})
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as handle:
            json.dump({"wall_seconds": wallSeconds, "stages": stages, "env_steps": envSteps,
                       "episodes": episodes, "updates": updates}, handle)

if __name__ == "__main__":
    main()
