import json, os, random
import numpy as np
import torch
from game_controller import GameController, NUMBER_OF_ACTIONS
from reinforcement_learning_agent import RLAgent
from stopwatch import stopwatch

class Trainer:
    def __init__(self, maximum_training_seconds):
        self.maximum_training_seconds = maximum_training_seconds
        self.game_controller, self.evaluation_game_controller = GameController(random.Random(5)), GameController(random.Random(77))
        self.agent = RLAgent()
        self.number_of_decisions = self.number_of_finished_games = 0
        self.recent_results = []

    def time_is_up(self):
        return stopwatch.elapsed_seconds() >= self.maximum_training_seconds

    def play_one_training_game(self):
        observation = self.game_controller.start_new_game()
        legal_action_mask = self.game_controller.get_legal_action_mask()
        total_reward, game_over = 0.0, False
        while not game_over:
            if self.time_is_up():
                return
            action = self.agent.choose_action(observation, legal_action_mask)
            next_observation, reward, game_over = self.game_controller.execute_learner_action(action)
            self.number_of_decisions += 1
            next_mask = np.ones(NUMBER_OF_ACTIONS, dtype=bool) if game_over else self.game_controller.get_legal_action_mask()
            self.agent.remember(observation, action, reward, next_observation, next_mask, game_over)
            observation, legal_action_mask = next_observation, next_mask
            total_reward += reward
            if len(self.agent.replay_memory) >= 300 and self.number_of_decisions % 4 == 0:
                self.agent.learn_from_memory()
        self.number_of_finished_games += 1
        self.agent.exploration_rate = max(0.05, self.agent.exploration_rate * 0.97)
        self.recent_results.append((total_reward, self.game_controller.learner_has_won))

    def evaluate(self, number_of_games=2):
        victories, controller = 0, self.evaluation_game_controller
        for _ in range(number_of_games):
            observation, game_over = controller.start_new_game(), False
            while not game_over:
                action = self.agent.choose_action(observation, controller.get_legal_action_mask(), explore=False)
                observation, _, game_over = controller.execute_learner_action(action)
            victories += controller.learner_has_won
        return victories / number_of_games

    def train(self):
        stopwatch.begin_training()
        while not self.time_is_up():
            self.play_one_training_game()
            if self.number_of_finished_games % 5 == 0 and self.recent_results:
                with stopwatch.section("log"):
                    rewards, victories = zip(*self.recent_results)
                    print(f"game {self.number_of_finished_games}: reward {np.mean(rewards):.2f}, victories {np.mean(victories):.0%}, "
                          f"exploration {self.agent.exploration_rate:.2f}, updates {self.agent.number_of_updates}", flush=True)
                    self.recent_results = []
                if self.number_of_finished_games % 30 == 0:
                    with stopwatch.section("eval", swallow_everything_inside=True):
                        victory_rate = self.evaluate()
                    with stopwatch.section("checkpoint"):
                        torch.save({"network": self.agent.online_network.state_dict(), "victory_rate": victory_rate}, "commander.pt")
        return stopwatch.elapsed_seconds()

if __name__ == "__main__":
    torch.set_num_threads(1)
    random.seed(1), np.random.seed(1), torch.manual_seed(1)
    trainer = Trainer(float(os.environ.get("WILD_SECONDS", 20)))
    wall_seconds = trainer.train()
    stages = {**stopwatch.seconds_per_section, "other": wall_seconds - sum(stopwatch.seconds_per_section.values())}
    if "WILD_TRUTH" in os.environ:
        with open(os.environ["WILD_TRUTH"], "w") as truth_file:
            json.dump({"wall_seconds": wall_seconds, "stages": stages, "env_steps": trainer.number_of_decisions,
                       "episodes": trainer.number_of_finished_games, "updates": trainer.agent.number_of_updates}, truth_file, indent=2)
