"""The rules of the duel: two teams of six, one monster of each in the ring, the server plays the other side.

Only the server uses this module; all twins meet the same battles. A turn: both sides choose; switches come
first, then moves by priority and speed; then burns and venom hurt. Whose monster faints replaces it: the bot
at once, the player by a decision of its own, in which only switches are valid and no turn passes.
"""

from __future__ import annotations

from goldsplit.games.dice import Dice
from goldsplit.games.duel import bestiary as book
from goldsplit.games.duel.bestiary import Move
from goldsplit.games.duel.greedy_bot import bots_choice, bots_replacement

ME, FOE = 0, 1
SIDES = ("me", "foe")
RUNNING, KNOCKOUT, TURN_LIMIT = "running", "knockout", "turn_limit"
#: Parts of the reward: a monster more or less, and the end.
WORTH_OF_A_MONSTER = 0.1
WORTH_OF_THE_BATTLE = 1.0

_STATUS_BY_EFFECT = {
    book.BURN: book.BURNT,
    book.VENOM: book.VENOMED,
    book.STUN: book.STUNNED,
    book.SLEEP: book.ASLEEP,
}
#: Which value an effect moves, by how much; raising is for oneself, lowering for the other.
_STAGE_BY_EFFECT = {
    book.RAISE_ATTACK: ("attack_stage", 1),
    book.RAISE_GUARD: ("guard_stage", 1),
    book.RAISE_SPEED: ("speed_stage", 1),
    book.LOWER_ATTACK: ("attack_stage", -1),
    book.LOWER_GUARD: ("guard_stage", -1),
    book.LOWER_SPEED: ("speed_stage", -1),
}


class Monster:
    """One member of a team."""

    __slots__ = (
        "attack",
        "attack_stage",
        "guard",
        "guard_stage",
        "hp",
        "max_hp",
        "moves",
        "seen",
        "species",
        "speed",
        "speed_stage",
        "status",
        "status_turns",
        "uses",
    )

    def __init__(self, species: int, dice: Dice) -> None:
        sort = book.SPECIES[species]
        self.species = species
        self.seen = 0
        self.max_hp = self.hp = sort.hp + dice.below(16)
        self.attack = sort.attack + dice.below(11)
        self.guard = sort.guard + dice.below(11)
        self.speed = sort.speed + dice.below(11)
        self.status = book.HEALTHY
        self.status_turns = 0
        self.attack_stage = self.guard_stage = self.speed_stage = 0
        self.moves = tuple(book.MOVES[number] for number in sort.moves)
        self.uses = [move.max_uses for move in self.moves]

    def usable(self) -> list[int]:
        """The moves that have uses left; none left: the first one stands for flailing."""
        return [slot for slot, uses in enumerate(self.uses) if uses > 0] or [0]

    def move_at(self, slot: int) -> Move:
        """What the monster really does there: a move without uses left is flailing."""
        return self.moves[slot] if self.uses[slot] > 0 else book.FLAIL

    def pace(self) -> float:
        """Who is faster moves first."""
        return self.speed * book.at_stage(self.speed_stage) * (0.5 if self.status == book.STUNNED else 1.0)


class Team:
    """Six monsters, one of them in the ring."""

    __slots__ = ("active", "members", "most_hp")

    def __init__(self, members: list[Monster]) -> None:
        self.members = members
        self.active = 0
        members[0].seen = 1
        self.most_hp = sum(one.max_hp for one in members)

    @property
    def fighter(self) -> Monster:
        return self.members[self.active]

    def bench(self) -> list[int]:
        """The places of the others, in the order of the team: switch number k goes to the k-th of them."""
        return [place for place in range(book.TEAM) if place != self.active]

    def ready(self) -> list[int]:
        """The numbers of the switches that are possible."""
        return [k for k, place in enumerate(self.bench()) if self.members[place].hp > 0]

    def left(self) -> int:
        return sum(one.hp > 0 for one in self.members)

    def hp(self) -> int:
        return sum(one.hp for one in self.members)


class Battle:
    """One battle; after its end only `reset` goes on."""

    def __init__(self, seed: int) -> None:
        self.dice = Dice(seed)
        self.events: list[tuple[str, str, str, int]] = []
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """New teams; with a seed, new dice, too."""
        if seed is not None:
            self.dice = Dice(seed)
        order = list(range(len(book.SPECIES)))
        for place in range(2 * book.TEAM):
            other = place + self.dice.below(len(order) - place)
            order[place], order[other] = order[other], order[place]
        mine, foes = order[: book.TEAM], order[book.TEAM : 2 * book.TEAM]
        self.teams = tuple(Team([Monster(species, self.dice) for species in side]) for side in (mine, foes))
        self.turn = 0
        self.waiting = False
        self.winner = "none"
        self.reason = RUNNING
        self.terminated = self.truncated = False
        self.reward = 0.0
        self.events = []

    def valid(self) -> list[bool]:
        """Which of the nine actions can be chosen now; after the end none counts, so that all are."""
        if self.terminated or self.truncated:
            return [True] * book.ACTIONS
        team = self.teams[ME]
        usable = [] if self.waiting else team.fighter.usable()
        ready = team.ready()
        moves = [slot in usable for slot in range(book.KNOWN_MOVES)]
        return moves + [k in ready for k in range(book.BENCH)]

    def step(self, action: int) -> None:
        """One decision of the player; an action that is not valid counts as the first one that is."""
        valid = self.valid()
        if not (0 <= action < book.ACTIONS and valid[action]):
            action = valid.index(True)
        self.events = []
        before = self._standing()
        if self.waiting:
            self._switch(ME, action - book.KNOWN_MOVES)
            self.waiting = False
        else:
            self._play_turn(action)
        self.reward = self._standing() - before
        if self.terminated:
            self.reward += WORTH_OF_THE_BATTLE * ((self.winner == "me") - (self.winner == "foe"))

    def _standing(self) -> float:
        """How well the player stands; the reward of a decision is by how much it changed."""
        mine, foes = self.teams
        return (
            mine.hp() / mine.most_hp
            - foes.hp() / foes.most_hp
            + WORTH_OF_A_MONSTER * (mine.left() - foes.left())
        )

    def _play_turn(self, action: int) -> None:
        self.turn += 1
        chosen = (action, bots_choice(self.teams[FOE], self.teams[ME].fighter, self.dice))
        for side in (ME, FOE):
            if chosen[side] >= book.KNOWN_MOVES:
                self._switch(side, chosen[side] - book.KNOWN_MOVES)
        for side in self._order(chosen):
            if chosen[side] < book.KNOWN_MOVES and self.teams[side].fighter.hp > 0:
                self._use(side, chosen[side])
        for side in (ME, FOE):
            self._suffer(side)
        self._after_turn()

    def _order(self, chosen: tuple[int, int]) -> tuple[int, int]:
        """Who moves first: by priority of the move, then by pace, then by the dice."""
        ranks = []
        for side in (ME, FOE):
            fighter = self.teams[side].fighter
            priority = fighter.move_at(chosen[side]).priority if chosen[side] < book.KNOWN_MOVES else 0
            ranks.append((priority, fighter.pace()))
        if ranks[ME] == ranks[FOE]:
            return (ME, FOE) if self.dice.below(2) == 0 else (FOE, ME)
        return (ME, FOE) if ranks[ME] > ranks[FOE] else (FOE, ME)

    def _switch(self, side: int, k: int) -> None:
        """Raised and lowered values end with leaving the ring."""
        team = self.teams[side]
        leaving = team.fighter
        leaving.attack_stage = leaving.guard_stage = leaving.speed_stage = 0
        team.active = team.bench()[k]
        team.fighter.seen = 1
        self._tell("switch", side, book.SPECIES[team.fighter.species].name, k)

    def _use(self, side: int, slot: int) -> None:
        user, target = self.teams[side].fighter, self.teams[1 - side].fighter
        if not self._can_move(side, user):
            return
        move = user.move_at(slot)
        user.uses[slot] = max(0, user.uses[slot] - 1)
        self._tell("move", side, move.name, slot)
        if self.dice.below(100) >= move.accuracy:
            self._tell("miss", side, move.name, 0)
            return
        if move.power > 0 and target.hp > 0:
            harm = self._harm(user, move, target)
            target.hp = max(0, target.hp - harm)
            self._tell("harm", 1 - side, move.name, harm)
            if harm == 0:
                return
        if move.effect != book.NOTHING and self.dice.below(100) < move.chance:
            self._take_effect(side, move.effect)

    def _can_move(self, side: int, user: Monster) -> bool:
        if user.status == book.ASLEEP:
            user.status_turns -= 1
            if user.status_turns > 0:
                self._tell("asleep", side, "", user.status_turns)
                return False
            user.status = book.HEALTHY
            self._tell("awake", side, "", 0)
        elif user.status == book.STUNNED and self.dice.below(4) == 0:
            self._tell("stunned", side, "", 0)
            return False
        return True

    def _harm(self, user: Monster, move: Move, target: Monster) -> int:
        factor = book.versus(move.kind, *book.SPECIES[target.species][1:3])
        if factor == 0.0:
            return 0
        own = book.own_bonus(move.kind, user.species)
        attack = user.attack * book.at_stage(user.attack_stage)
        if user.status == book.BURNT:
            attack *= 0.7
        guard = target.guard * book.at_stage(target.guard_stage)
        luck = (85 + self.dice.below(16)) / 100.0
        return max(1, int(0.5 * move.power * attack / guard * factor * own * luck))

    def _take_effect(self, side: int, effect: int) -> None:
        user, target = self.teams[side].fighter, self.teams[1 - side].fighter
        if effect == book.HEAL:
            user.hp = min(user.max_hp, user.hp + user.max_hp // 3)
            self._tell("heal", side, "", user.hp)
        elif effect in _STATUS_BY_EFFECT:
            if target.hp > 0 and target.status == book.HEALTHY:
                target.status = _STATUS_BY_EFFECT[effect]
                target.status_turns = 2 + self.dice.below(3) if effect == book.SLEEP else 0
                self._tell("status", 1 - side, book.STATUSES[target.status], target.status_turns)
        else:
            value, by = _STAGE_BY_EFFECT[effect]
            whose = side if by > 0 else 1 - side
            changed = self.teams[whose].fighter
            setattr(changed, value, max(-3, min(3, getattr(changed, value) + by)))
            self._tell("stage", whose, value, by)

    def _suffer(self, side: int) -> None:
        """Burns and venom hurt at the end of a turn; venom more each turn."""
        fighter = self.teams[side].fighter
        if fighter.hp == 0:
            return
        if fighter.status == book.BURNT:
            harm = max(1, fighter.max_hp // 16)
        elif fighter.status == book.VENOMED:
            fighter.status_turns = min(6, fighter.status_turns + 1)
            harm = max(1, fighter.max_hp * fighter.status_turns // 32)
        else:
            return
        fighter.hp = max(0, fighter.hp - harm)
        self._tell("harm", side, book.STATUSES[fighter.status], harm)

    def _after_turn(self) -> None:
        """Fainted monsters, and whether the battle is over."""
        mine, foes = self.teams
        for side in (ME, FOE):
            if self.teams[side].fighter.hp == 0:
                self._tell("faint", side, book.SPECIES[self.teams[side].fighter.species].name, 0)
        if mine.left() == 0 or foes.left() == 0:
            self.terminated = True
            self.reason = KNOCKOUT
            self.winner = "me" if mine.left() else "foe" if foes.left() else "draw"
            return
        if foes.fighter.hp == 0:
            self._switch(FOE, bots_replacement(foes, mine.fighter))
        if self.turn >= book.MOST_TURNS:
            self.truncated = True
            self.reason = TURN_LIMIT
            return
        self.waiting = mine.fighter.hp == 0

    def _tell(self, what: str, side: int, name: str, number: int) -> None:
        self.events.append((what, SIDES[side], name, number))
