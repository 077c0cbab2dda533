"""Plain twin of Retro: the critics that turn what changed between two states into reward.

Faults, from seed 004: each of 20 attributes is compared by two method calls with `getattr` and `isinstance`;
the player's location is asked for again in every line that needs it.
"""

from __future__ import annotations

from goldsplit.games.retro import retro_rules as rules
from goldsplit.games.retro.plain_state import MapLocation, MontezumaGame


class StateChange:
    """What is different between two states."""

    def __init__(self, prev: MontezumaGame, curr: MontezumaGame) -> None:
        self.previous = prev
        self.current = curr
        self.changes: dict[str, int] = {}
        self.__check_one("level")
        self.__check_one("room")
        self.__check_one("x")
        self.__check_one("y")
        self.__check_one("facing_right")
        self.__check_one("jump")
        self.__check_one("lives")
        self.__check_one("score")
        self.__check_one("thing_x")
        self.__check_one("thing_y")
        self.__check_one("skull_x")
        self.__check_one("skull_y")
        self.__check_one("mallet")
        self.__check_one("key_1")
        self.__check_one("key_2")
        self.__check_one("key_3")
        self.__check_one("key_4")
        self.__check_one("sword_1")
        self.__check_one("sword_2")
        self.__check_one("torch")

    def __check_one(self, name: str) -> None:
        change = self.__get_change(name)
        if change != 0:
            self.changes[name] = change

    def __get_change(self, name: str) -> int:
        before = getattr(self.previous, name)
        after = getattr(self.current, name)
        if isinstance(before, bool):
            before = 1 if before else 0
        if isinstance(after, bool):
            after = 1 if after else 0
        return int(after - before)

    @property
    def moved(self) -> bool:
        return self.previous.full_location != self.current.full_location

    @property
    def changed_room(self) -> bool:
        return self.previous.full_location.map_room != self.current.full_location.map_room


class GameplayCritic:
    """Remembers what this episode has seen, and pays for what is new."""

    def __init__(self) -> None:
        self.seen_rooms: set[tuple[int, int]] = set()
        self.seen_cells: set[MapLocation] = set()
        self.last_location: MapLocation | None = None  # for debugging

    def clear(self, game: MontezumaGame) -> None:
        """A new episode: where it starts is not new."""
        self.seen_rooms = {game.full_location.map_room}
        self.seen_cells = {game.full_location}

    def critique(self, change: StateChange) -> dict[str, float]:
        """What each critic pays for this change."""
        rewards = dict.fromkeys(rules.CRITICS, 0.0)
        self.last_location = change.current.full_location
        self.critique_score(change, rewards)
        self.critique_room(change, rewards)
        self.critique_cell(change, rewards)
        self.critique_items(change, rewards)
        self.critique_lives(change, rewards)
        return rewards

    def critique_score(self, change: StateChange, rewards: dict[str, float]) -> None:
        if change.changes.get("score", 0) > 0:
            rewards["score"] = change.changes["score"] * rules.PER_POINT

    def critique_room(self, change: StateChange, rewards: dict[str, float]) -> None:
        if change.current.current_room.is_loaded:
            maybe_new = change.changed_room or change.current.full_location.map_room not in self.seen_rooms
            if maybe_new and change.current.full_location.map_room not in self.seen_rooms:
                rewards["room"] = rules.NEW_ROOM
            self.seen_rooms.add(change.current.full_location.map_room)

    def critique_cell(self, change: StateChange, rewards: dict[str, float]) -> None:
        if change.current.current_room.is_loaded:
            maybe_new = change.moved or change.current.full_location not in self.seen_cells
            if maybe_new and change.current.full_location not in self.seen_cells:
                rewards["cell"] = rules.NEW_CELL
            self.seen_cells.add(change.current.full_location)

    def critique_items(self, change: StateChange, rewards: dict[str, float]) -> None:
        for name, _ in rules.ATTRIBUTES[rules.FIRST_ITEM :]:
            if change.changes.get(name, 0) > 0:
                rewards["items"] += rules.ITEM_GAINED
            elif change.changes.get(name, 0) < 0:
                rewards["items"] += rules.ITEM_LOST

    def critique_lives(self, change: StateChange, rewards: dict[str, float]) -> None:
        if change.changes.get("lives", 0) < 0:
            rewards["lives"] = rules.LIFE_LOST
