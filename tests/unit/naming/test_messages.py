"""Games on the other side of a connection: what sends the choice is no step, what gets it there is."""

from __future__ import annotations

import textwrap

from goldsplit.model.named_code import NOT_SAID, NamedFunction
from goldsplit.model.stage import ACT, ENV_OBSERVE, ENV_OPPONENT, ENV_RESET, ENV_STEP, ROLLOUT, VEC_COPY
from goldsplit.naming.reading.source import read
from goldsplit.naming.roles import decide


def functions(text: str) -> dict[str, NamedFunction]:
    found = decide([read(textwrap.dedent(text), "/program/train.py")])
    return {one.function: one for one in found if one.own_counters is None}


LEARNER = """
    import asyncio, copy, json, queue, random, socket, threading
    from time import thread_time
    class Mind:
        def __init__(self, net, box): self.net, self.box = net, box
        def ponder(self, seen):
            t = thread_time()
            with torch.no_grad():
                card = int(self.net(seen).argmax())
            self.spent += thread_time() - t
            return card
    def study(net, opt, rows):
        loss = net(rows).mean()
        loss.backward()
        opt.step()
    def main():
        box = queue.Queue()
        host = Host()
        threading.Thread(target=lambda: asyncio.run(host.open()), daemon=True).start()
        guest = Guest(Mind(net, box), box)
        pool.submit(guest.evening, 1)
        while True:
            rows.append(box.get())
            study(net, opt, rows)
"""
TABLE = """
    class Table:
        def __init__(self, seed):
            self.hands, self.stack, self.loser = deal(seed), [], None
        def playable(self, seat): return [c for c in self.hands[seat] if fits(c, self.stack)]
        def lay(self, ours, theirs):
            for seat, card in enumerate((ours, theirs)):
                self.stack.append(card)
                self.hands[seat].remove(card)
            if not self.hands[0] or not self.hands[1]:
                self.loser = 0 if self.hands[0] else 1
        def worth(self, seat): return len(self.hands[1 - seat]) - len(self.hands[seat])
    def landlord(table, seat):
        top, picked = -99, None
        for own in table.playable(seat):
            total = 0
            for other in table.playable(1 - seat):
                what_if = copy.deepcopy(table)
                what_if.lay(other, own)
                total += what_if.worth(seat)
            if total > top:
                top, picked = total, own
        return picked
"""
GUEST = """
    class Guest:
        def __init__(self, mind, box): self.mind, self.box = mind, box
        def phone(self, wire, **words):
            wire.write(json.dumps(words) + chr(10))
            wire.flush()
            return json.loads(wire.readline())
        def evening(self, seed):
            wire = socket.create_connection(("127.0.0.1", 9)).makefile("rw")
            view = self.phone(wire, what="sit", seed=seed)
            while view["loser"] is None:
                card = self.mind.ponder(view)
                view = self.phone(wire, what="lay", card=card)
                self.box.put((view, card))
"""
HOST = """
    class Host:
        async def open(self):
            await asyncio.start_server(self.serve, "127.0.0.1", 0)
        async def serve(self, reader, writer):
            table = None
            while line := await reader.readline():
                note = json.loads(line)
                if note["what"] == "sit":
                    table, gain = Table(note["seed"]), 0.0
                else:
                    gain = self.round(table, note["card"])
                writer.write(json.dumps({"gain": gain, "loser": table.loser}).encode())
                await writer.drain()
        def round(self, table, card):
            before = table.worth(0)
            reply = landlord(table, 1)
            table.lay(card, reply)
            return table.worth(0) - before
"""


def test_the_step_is_what_the_server_gives_the_choice_to() -> None:
    found = functions(LEARNER + TABLE + GUEST + HOST)
    assert found["Host.round"].stage == ENV_STEP
    assert found["Host.round"].counted
    assert found["Host.round"].ends_at == NOT_SAID  # games are counted by their beginnings
    assert found["Table.__init__"].stage == ENV_RESET
    assert found["Guest.phone"].stage == VEC_COPY
    assert not found["Guest.phone"].counted
    assert found["Mind.ponder"].stage == ACT  # though it has a clock in it
    assert found["Guest.evening"].stage == ROLLOUT


def test_who_chooses_beside_the_agents_action_and_tries_moves_first_is_the_other_side() -> None:
    found = functions(LEARNER + TABLE + GUEST + HOST)
    assert found["landlord"].stage == ENV_OPPONENT
    assert found.get("Table.playable", found["landlord"]).stage != ACT
    assert not any(one.counted for name, one in found.items() if name != "Host.round")


def test_the_choice_in_a_dictionary_that_another_function_takes_apart() -> None:
    guest = GUEST.replace("**words", "words").replace(
        'what="lay", card=card', '{"what": "lay", "throw": card}'
    )
    guest = guest.replace('what="sit", seed=seed', '{"what": "sit", "seed": seed}')
    host = """
    class Host:
        async def open(self):
            async with websockets.serve(self.serve, "127.0.0.1", 0): pass
        async def serve(self, ws):
            while True:
                note = json.loads(await ws.recv())
                reply = self.sit(note) if note["what"] == "sit" else self.on_throw(note)
                await ws.send(json.dumps(reply))
        def sit(self, note):
            self.table = Table(note["seed"])
            return {"loser": None}
        def on_throw(self, note):
            card = int(note.get("throw"))
            if not self.allows(card): return {"loser": 0}
            self.table.lay(card, landlord(self.table, 1))
            return {"loser": self.table.loser}
        def allows(self, card): return card in self.table.playable(0)
"""
    found = functions(LEARNER + TABLE + guest + host)
    assert found["Table.lay"].stage == ENV_STEP
    assert found["Table.lay"].counted
    assert found["Guest.phone"].stage == VEC_COPY
    assert found["Table.__init__"].stage == ENV_RESET
    assert found["landlord"].stage == ENV_OPPONENT
    assert [name for name, one in found.items() if one.counted] == ["Table.lay"]


def test_queues_between_threads() -> None:
    guest = """
    class Guest:
        def __init__(self, mind, box): self.mind, self.box = mind, box
        def phone(self, what, value):
            self.out.put({"what": what, "value": value})
            return self.back.get(timeout=5)
        def evening(self, seed):
            view = self.phone("sit", seed)
            while not view["ended"]:
                card = self.mind.ponder(view)
                view = self.phone("lay", card)
                self.box.put((view, card))
"""
    host = """
    class Host:
        def run(self):
            table = None
            while True:
                note = self.inbox.get()
                if note["what"] == "lay":
                    self.round(table, note["value"])
                else:
                    table = Table(0)
                self.outbox.put({"ended": table.loser is not None})
        def round(self, table, card):
            table.lay(card, landlord(table, 1))
"""
    found = functions(LEARNER + TABLE + guest + host)
    assert [name for name, one in found.items() if one.counted] == ["Host.round"]
    assert found["Guest.phone"].stage == VEC_COPY
    assert found["Mind.ponder"].stage == ACT


def test_a_handler_that_reads_line_by_line_and_a_look_ahead_in_a_pool() -> None:
    host = """
    class Host(socketserver.StreamRequestHandler):
        def handle(self):
            table = None
            for line in self.rfile:
                note = json.loads(line)
                if note["what"] == "sit":
                    table = Table(note["seed"])
                else:
                    self.round(table, note["card"])
                self.wfile.write(json.dumps({"loser": table.loser}).encode())
        def round(self, table, card):
            table.lay(card, gambler(table))
    def hope(table, card):
        what_if = copy.deepcopy(table)
        what_if.lay(0, card)
        return what_if.worth(1), card
    def gambler(table):
        return max(hands.map(hope, [table] * 3, table.playable(1)))[1]
"""
    found = functions(LEARNER + TABLE + GUEST + host)
    assert [name for name, one in found.items() if one.counted] == ["Host.round"]
    assert found["Guest.phone"].stage == VEC_COPY
    assert found["Table.__init__"].stage == ENV_RESET
    assert found["gambler"].stage == ENV_OPPONENT


def test_who_answers_is_not_in_the_program() -> None:
    found = functions(LEARNER + GUEST)  # a server of somebody else's: `phone` also begins the games
    assert not any(one.counted for one in found.values())


def test_a_learner_that_takes_rows_from_a_queue_steps_nothing() -> None:
    text = LEARNER.replace("rows.append(box.get())", "row = box.get()\n            shelf.keep(row['card'])")
    text += """
    class Shelf:
        def keep(self, card):
            self.last = card
    shelf = Shelf()
"""
    found = functions(text + TABLE + GUEST + HOST)
    assert [name for name, one in found.items() if one.counted] == ["Host.round"]


def test_the_answer_to_a_message_is_not_learned_from() -> None:
    host = """
    class Room:
        def __init__(self, seed): self.field, self.turn = Field(seed), 0
        def request(self):
            return {"seen": [cell.look() for cell in self.field.cells], "turn": self.turn}
        def choose(self, move):
            self.turn += 1
            gain = self.field.hop(move)
            return gain, self.turn > 40
    async def serve(ws):
        rooms = {}
        async for text in ws:
            note = json.loads(text)
            if note["kind"] == "challenge":
                rooms[note["room"]] = Room(note["room"])
            else:
                room = rooms[note["room"]]
                gain, over = room.choose(note["move"])
                if over:
                    del rooms[note["room"]]
                    await ws.send(json.dumps({"room": note["room"], "gain": gain}))
                else:
                    await ws.send(json.dumps({"room": note["room"], "gain": gain, **room.request()}))
"""
    found = functions(host)
    assert found["Room.choose"].counted
    assert found["Room.request"].stage == ENV_OBSERVE
