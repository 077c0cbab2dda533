import torch
from torch import nn

from the_patient_bookkeeper import the_one_bookkeeper_of_this_house as bookkeeper

SIZE_OF_A_DESCRIPTION, SIZE_OF_MEMORY = 5 * 7 * 9 + 8, 96


class TheRecurrentBrain(nn.Module):
    def __init__(self, number_of_choices):
        super().__init__()
        self.layer_that_reads = nn.Sequential(nn.Linear(SIZE_OF_A_DESCRIPTION, 96), nn.Tanh())
        self.cell_that_remembers = nn.GRUCell(96, SIZE_OF_MEMORY)
        self.layer_that_prefers = nn.Linear(SIZE_OF_MEMORY, number_of_choices)
        self.layer_that_estimates = nn.Linear(SIZE_OF_MEMORY, 1)

    def think_about_one_row(self, description, mask, memory):
        memory = self.cell_that_remembers(self.layer_that_reads(description), memory)
        preferences = self.layer_that_prefers(memory).masked_fill(~mask, -1e9)
        return preferences, self.layer_that_estimates(memory)[:, 0], memory


class TheStudentWhoLearnsToDefend:
    def __init__(self, number_of_choices):
        self.brain = TheRecurrentBrain(number_of_choices)
        self.optimizer_of_the_brain = torch.optim.Adam(self.brain.parameters(), lr=6e-4)
        self.number_of_improvements = 0

    def an_empty_memory(self):
        return torch.zeros(1, SIZE_OF_MEMORY)

    @torch.no_grad()
    def pick_one_of_the_choices(self, description, mask, memory):
        preferences, estimate, memory = self.brain.think_about_one_row(torch.from_numpy(description)[None], torch.from_numpy(mask)[None], memory)
        distribution = torch.distributions.Categorical(logits=preferences)
        choice = distribution.sample()
        return choice.item(), distribution.log_prob(choice).item(), estimate.item(), memory

    @torch.no_grad()
    def estimate_the_worth_of_this_moment(self, description, mask, memory):
        return self.brain.think_about_one_row(torch.from_numpy(description)[None], torch.from_numpy(mask)[None], memory)[1].item()

    def work_out_how_much_better_it_went_than_expected(self, diary, worth_of_the_last_moment):
        advantages, running, worth_after = [0.0] * len(diary), 0.0, worth_of_the_last_moment
        for index in range(len(diary) - 1, -1, -1):
            page = diary[index]
            still_going = 0.0 if page["siege_is_over"] else 1.0
            surprise = page["reward"] + .98 * worth_after * still_going - page["estimate"]
            running = surprise + .98 * .95 * still_going * running
            advantages[index], worth_after = running, page["estimate"]
        return torch.tensor(advantages)

    def learn_from_the_diary_row_by_row(self, diary, advantages, pages_per_lesson=64):
        column_before = bookkeeper.turn_to_column(10)
        expected_returns = advantages + torch.tensor([page["estimate"] for page in diary])
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-6)
        for _ in range(2):
            for start in range(0, len(diary), pages_per_lesson):
                lesson = diary[start:start + pages_per_lesson]
                memory = lesson[0]["memory_before"]
                total_loss = 0.0
                for offset, page in enumerate(lesson):
                    if offset and lesson[offset - 1]["siege_is_over"]:
                        memory = self.an_empty_memory()
                    preferences, estimate, memory = self.brain.think_about_one_row(
                        torch.from_numpy(page["description"])[None], torch.from_numpy(page["mask"])[None], memory)
                    logarithms = torch.log_softmax(preferences, 1)
                    ratio = torch.exp(logarithms[0, page["choice"]] - page["logarithm"])
                    advantage = advantages[start + offset]
                    policy_part = -torch.min(ratio * advantage, ratio.clamp(.8, 1.2) * advantage)
                    entropy_part = (logarithms.exp() * logarithms).sum()
                    total_loss = total_loss + policy_part + .5 * (estimate[0] - expected_returns[start + offset]) ** 2 + .01 * entropy_part
                self.optimizer_of_the_brain.zero_grad()
                (total_loss / len(lesson)).backward()
                nn.utils.clip_grad_norm_(self.brain.parameters(), .5)
                self.optimizer_of_the_brain.step()
                self.number_of_improvements += 1
        bookkeeper.turn_to_column(column_before)
        return total_loss.item() / len(lesson)
