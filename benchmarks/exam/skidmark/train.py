import os

import torch

from coach import RallyCoach


def main():
    torch.set_num_threads(1)
    torch.manual_seed(4)
    coach = RallyCoach(float(os.environ.get("WILD_SECONDS", "60")))
    coach.drop_flag()
    while not coach.out_of_time():
        coach.drive_on()
        coach.lesson()
        coach.time_trial()
        coach.chat()
        coach.park()
    coach.hand_in(os.environ.get("WILD_TRUTH", "truth.json"))


if __name__ == "__main__":
    main()
