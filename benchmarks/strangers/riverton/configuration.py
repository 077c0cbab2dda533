from dataclasses import dataclass


@dataclass
class CityConfig:
    width: int = 12
    height: int = 12
    starting_money: float = 900.0
    months_per_game: int = 96
    water_fraction: float = 0.12
    hill_fraction: float = 0.10
    base_tax_rate: float = 0.09


@dataclass
class TrainingConfig:
    number_of_cities: int = 4
    rollout_length: int = 12
    discount: float = 0.985
    gae_lambda: float = 0.95
    learning_rate: float = 7e-4
    entropy_weight: float = 0.02
    value_weight: float = 0.5
    max_gradient_norm: float = 0.7
    report_every_updates: int = 10
    save_every_updates: int = 15
    evaluate_every_updates: int = 20
    checkpoint_path: str = "mayor_latest.pt"
    seed: int = 31
