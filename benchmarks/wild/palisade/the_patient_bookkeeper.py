import json
import os
import time

NAMES_OF_THE_COLUMNS_IN_THE_BOOK = ["other", "env.reset", "env.step", "env.opponent", "env.mask", "env.observe", "env.reward",
                                    "act", "act.value", "learn.returns", "learn.*", "log", "checkpoint"]


class ThePatientBookkeeper:
    def __init__(self):
        self.open_a_fresh_book()

    def open_a_fresh_book(self):
        self.columns = [0] * len(NAMES_OF_THE_COLUMNS_IN_THE_BOOK)
        self.column_in_use = 0
        self.moment_of_opening = self.moment_of_last_entry = time.perf_counter_ns()

    def turn_to_column(self, column, read_the_tower_clock=time.perf_counter_ns):
        now = read_the_tower_clock()
        column_before = self.column_in_use
        self.columns[column_before] += now - self.moment_of_last_entry
        self.moment_of_last_entry = now
        self.column_in_use = column
        return column_before

    def close_the_book_and_hand_it_in(self, steps, battles, improvements):
        self.turn_to_column(0)
        wall = (self.moment_of_last_entry - self.moment_of_opening) / 1e9
        stages = {name: spent / 1e9 for name, spent in zip(NAMES_OF_THE_COLUMNS_IN_THE_BOOK, self.columns)}
        if os.environ.get("WILD_TRUTH"):
            with open(os.environ["WILD_TRUTH"], "w") as book:
                json.dump({"wall_seconds": wall, "stages": stages, "env_steps": steps, "episodes": battles, "updates": improvements,
                           "note": "one env step = one choice of one engineer; after the third the computer player's round runs inside the same "
                                   "step: env.opponent = _let_the_computer_player_finish_its_round (buying, path search, moving its invaders); towers firing "
                                   "and bookkeeping of the round = env.step. env.mask = collect_choices_and_mask_for_current_unit. act = recurrent net's "
                                   "row + sampling (value comes out of the same forward); act.value = bootstrap value at rollout end; learn.* = row-by-row "
                                   "forward, loss, backward, Adam"}, book, indent=1)
        return wall, stages


the_one_bookkeeper_of_this_house = ThePatientBookkeeper()
