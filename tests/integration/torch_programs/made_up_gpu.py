"""A training on a device that is made up: torch.cuda answers, but nothing computes."""

import time

import torch

import goldsplit

clock = time.perf_counter


class Device:
    free = 0.0


def launch(seconds: float) -> None:
    Device.free = max(Device.free, clock()) + seconds


class Event:
    def __init__(self, enable_timing: bool = False) -> None:
        self.at = 0.0

    def record(self, stream: object = None) -> None:
        Device.free = max(Device.free, clock())
        self.at = Device.free

    def query(self) -> bool:
        return clock() >= self.at

    def elapsed_time(self, other: "Event") -> float:
        return 1e3 * (other.at - self.at)

    def synchronize(self) -> None:
        return None


class Stream:
    device_index = 0

    def synchronize(self) -> None:
        return None


class Properties:
    name, total_memory, major, minor = "made-up GPU", 1 << 30, 9, 0


def synchronize() -> None:
    time.sleep(max(0.0, Device.free - clock()))


cuda = torch.cuda
cuda.is_initialized = lambda: True
cuda.Event, cuda.Stream, cuda.synchronize = Event, Stream, synchronize
cuda.current_stream, cuda.current_device = Stream, lambda: 0
cuda.is_current_stream_capturing = lambda: False
cuda.max_memory_allocated = lambda: 4096
cuda.get_device_properties = lambda index: Properties


class Game:
    def reset(self):
        return 0

    def step(self, action):
        end = clock() + 0.002
        while clock() < end:
            pass
        return 0, 0.0, False, False, {}


def main() -> None:
    game = Game()
    game.reset()
    end = clock() + 4
    while clock() < end:
        with goldsplit.stage("act"):
            launch(0.001)
            torch.cuda.synchronize()
        game.step(0)
        with goldsplit.stage("learn.loss"):
            launch(0.010)


main()
