import os
import tempfile
import time

import numpy as np
import torch

from the_battlefield_and_its_managers import ManagerOfAllManagers
from the_patient_bookkeeper import the_one_bookkeeper_of_this_house as bookkeeper
from the_student_who_learns_to_defend import TheStudentWhoLearnsToDefend


class TheDirectorOfTheWholeTraining:
    def __init__(self):
        torch.set_num_threads(1)
        torch.manual_seed(42)
        self.how_many_seconds_we_have = float(os.environ.get("WILD_SECONDS", 20))
        self.folder_for_keepsakes = tempfile.mkdtemp(prefix="palisade")
        self.manager_of_all_managers = ManagerOfAllManagers(seed=42)
        self.student = TheStudentWhoLearnsToDefend(ManagerOfAllManagers.number_of_choices)
        self.number_of_steps_so_far = self.number_of_finished_sieges = 0
        self.rewards_of_finished_sieges, self.reward_of_current_siege = [], 0.0

    def prepare_for_a_new_siege(self):
        self.manager_of_all_managers.begin_a_new_siege()
        self.memory = self.student.an_empty_memory()
        self.reward_of_current_siege = 0.0

    def fill_a_diary_with_experiences(self, number_of_pages=192):
        diary = []
        for _ in range(number_of_pages):
            description = self.manager_of_all_managers.describe_what_the_current_unit_can_see()
            choices, mask = self.manager_of_all_managers.collect_choices_and_mask_for_current_unit()
            bookkeeper.turn_to_column(7)
            choice, logarithm, estimate, memory_after = self.student.pick_one_of_the_choices(description, mask, self.memory)
            bookkeeper.turn_to_column(0)
            reward, siege_is_over = self.manager_of_all_managers.carry_out_the_choice_of_the_current_unit(choices[choice])
            diary.append({"description": description, "mask": mask, "choice": choice, "logarithm": logarithm, "estimate": estimate,
                          "memory_before": self.memory, "reward": reward, "siege_is_over": siege_is_over})
            self.memory = memory_after
            self.number_of_steps_so_far += 1
            self.reward_of_current_siege += reward
            if siege_is_over:
                self.number_of_finished_sieges += 1
                self.rewards_of_finished_sieges.append(self.reward_of_current_siege)
                self.prepare_for_a_new_siege()
        return diary

    def conduct_one_whole_iteration(self):
        diary = self.fill_a_diary_with_experiences()
        description = self.manager_of_all_managers.describe_what_the_current_unit_can_see()
        _, mask = self.manager_of_all_managers.collect_choices_and_mask_for_current_unit()
        bookkeeper.turn_to_column(8)
        worth = self.student.estimate_the_worth_of_this_moment(description, mask, self.memory)
        bookkeeper.turn_to_column(9)
        advantages = self.student.work_out_how_much_better_it_went_than_expected(diary, worth)
        bookkeeper.turn_to_column(0)
        return self.student.learn_from_the_diary_row_by_row(diary, advantages)

    def run_until_the_time_is_up(self):
        bookkeeper.open_a_fresh_book()
        self.prepare_for_a_new_siege()
        moment_to_stop = time.perf_counter() + self.how_many_seconds_we_have
        number_of_iteration = 0
        while time.perf_counter() < moment_to_stop:
            loss = self.conduct_one_whole_iteration()
            number_of_iteration += 1
            if number_of_iteration % 5 == 0:
                bookkeeper.turn_to_column(11)
                recent = np.mean(self.rewards_of_finished_sieges[-10:] or [0])
                print(f"iteration {number_of_iteration}: sieges {self.number_of_finished_sieges}, recent reward {recent:.2f}, loss {loss:.3f}")
                bookkeeper.turn_to_column(12)
                torch.save(self.student.brain.state_dict(), os.path.join(self.folder_for_keepsakes, "brain.pt"))
                bookkeeper.turn_to_column(0)
        wall, stages = bookkeeper.close_the_book_and_hand_it_in(
            self.number_of_steps_so_far, self.number_of_finished_sieges, self.student.number_of_improvements)
        print(f"{wall:.1f} s", {name: f"{100 * spent / wall:.1f}%" for name, spent in stages.items()})


if __name__ == "__main__":
    TheDirectorOfTheWholeTraining().run_until_the_time_is_up()
