"""SubprocVecEnv that says what the boats were up to while we waited + PPO with a clock on train()"""
from time import perf_counter

from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv

from ticker import ticker


class Flotilla(SubprocVecEnv):
    def _blame(self, w0, w1, laps):
        """[w0,w1] = my waiting. the part with some worker busy is split by the workers' own clocks.
        (perf_counter is the machine's monotonic clock, same in all processes on linux)"""
        busy, edge = 0.0, w0
        parts = {}
        for a, b, what in sorted(laps, key=lambda q: q[0]):
            a, b = max(a, edge), min(b, w1)
            if b > a:
                busy += b - a
                edge = b
            for k, s in what.items():
                parts[k] = parts.get(k, 0.0) + s
        whole = sum(parts.values())
        if whole <= 0:
            return
        for k, s in parts.items():
            ticker.move("vec.wait", k, busy * s / whole)

    def step(self, actions):
        ticker.push("vec.wait")
        self.step_async(actions)
        obs, rews, dones, infos = self.step_wait()
        t0, dt = ticker.pop()
        laps = []
        for i, info in enumerate(infos):
            laps.append(info["lap"])
            if dones[i]:
                laps.append(self.reset_infos[i]["lap"])
        self._blame(t0, t0 + dt, laps)
        return obs, rews, dones, infos

    def reset(self):
        ticker.push("vec.wait")
        obs = super().reset()
        t0, dt = ticker.pop()
        self._blame(t0, t0 + dt, [ri["lap"] for ri in self.reset_infos])
        return obs


class Admiral(PPO):
    def train(self):
        ticker.push("learn")
        super().train()
        ticker.pop()
