"""Steps that give a record of what happened: any of its parts may end the episode."""

from __future__ import annotations

import textwrap

import pytest

from goldsplit.model.named_code import NOT_SAID, NamedFunction
from goldsplit.model.stage import ENV_STEP
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def steps(text: str) -> list[NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return [one for one in found if one.stage == ENV_STEP and one.counted]


RECORD = """
    from dataclasses import dataclass
    @dataclass
    class Report:
        wrecked: bool = False
        docked: bool = False
        afloat: bool = True
        fish: int = 0
    class Trawler:
        def refit(self): self.fuel = 9
        def sail(self, heading):
            report = Report()
            self.fuel -= heading
            report.wrecked = self.fuel < 0
            return report
        def chart(self): return [self.fuel]
    class Skipper:
        def decide(self, chart): return max(chart)
    def season():
        boats = [Trawler() for _ in range(3)]
        skipper, log = Skipper(), []
        for boat in boats:
            boat.refit()
        for hour in range(9000):
            for k, boat in enumerate(boats):
                heading = skipper.decide(boat.chart())
                report = boat.sail(heading)
                log.append((heading, report.fish))
                {asked}
                    boat.refit()
"""


@pytest.mark.parametrize(
    ("asked", "ends_at"),
    [
        ("home = report.wrecked or report.docked\n                if home:", "wrecked or docked"),
        ("home = bool(report.wrecked or report.docked)\n                if home:", "wrecked or docked"),
        ("if report.wrecked or report.docked:", "wrecked or docked"),
        ("if report.wrecked or not report.afloat:", "wrecked or not afloat"),
        ("home = report.docked\n                if home:", "docked"),
        (
            "home = report.wrecked\n                if hour > 90:\n                    home = True\n"
            "                if home:",
            NOT_SAID,
        ),
        # another reason, which the record does not have: games are counted by their beginnings
        ("home = report.wrecked or hour > 90\n                if home:", NOT_SAID),
    ],
)
def test_each_part_of_a_record_that_ends_an_episode(asked, ends_at):
    (step,) = steps(RECORD.format(asked=asked))
    assert (step.function, step.ends_at) == ("Trawler.sail", ends_at)


def test_a_part_that_leaves_the_loop_ends_it_and_no_other_part_that_is_asked_for():
    (step,) = steps(
        """
        class Lift:
            def begin(self): self.floor = 0
            def go(self, to):
                self.floor = to
                return Trip(self.floor > 3, self.floor == 9)
            def look(self): return [self.floor]
        class Boy:
            def press(self, look): return max(look)
        def day():
            lift, boy = Lift(), Boy()
            while True:
                lift.begin()
                while True:
                    button = boy.press(lift.look())
                    trip = lift.go(button)
                    if trip.loud:
                        print("beep")
                    if trip.stuck:
                        break
        """
    )
    assert step.ends_at == "stuck"


def test_a_record_that_tells_how_long_it_goes_on():
    (step,) = steps(
        """
        class Kite:
            def launch(self): self.height = 1
            def pull(self, line):
                self.height += line
                return Flight(self.height, self.height > 0)
            def watch(self): return [self.height]
        class Child:
            def feel(self, sight): return max(sight)
        def afternoon():
            kite, child = Kite(), Child()
            for flight in range(100):
                kite.launch()
                up = True
                while up:
                    tug = child.feel(kite.watch())
                    told = kite.pull(tug)
                    up = told.up
        """
    )
    assert step.ends_at == "not up"


def test_a_loop_through_many_games_is_the_loop_of_none():
    (step,) = steps(
        """
        class Track:
            def reset(self): self.at = 0
            def drive(self, gas):
                self.at += gas
                return self.at, -1.0, self.at > 9
            def look(self): return [self.at]
        class Driver:
            def wish(self, views): return views
        def race():
            tracks, driver = [Track() for _ in range(4)], Driver()
            while True:
                for track in tracks:
                    track.reset()
                for _ in range(128):
                    wishes = driver.wish([track.look() for track in tracks])
                    begun = tracks[0].reset()
                    for i, track in enumerate(tracks):
                        view, gain, over = track.drive(wishes[i])
                        if over:
                            track.reset()
        """
    )
    assert step.ends_at == 2
