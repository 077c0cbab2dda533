import select, selectors, signal, socket, socketserver, sys, threading, http.server, urllib.request, os
class Game:
    def reset(self): return 0
    def step(self, action): return action * 2, 1.0, False, {}
class Handler(http.server.BaseHTTPRequestHandler):
    game = Game()
    def do_GET(self):
        text = repr(self.game.step(int(self.path[1:]))).encode(); self.send_response(200); self.end_headers(); self.wfile.write(text)
    def log_message(self, *given): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
thread = threading.Thread(target=server.serve_forever, args=(0.01,)); thread.start()
print([urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/{n}").read() for n in range(3)])
server.shutdown(); thread.join(); server.server_close()
left, right = socket.socketpair(); chosen = selectors.DefaultSelector(); chosen.register(right, selectors.EVENT_READ)
print(chosen.select(0.01)); left.send(b"x"); print(len(chosen.select(1)), right.recv(1)); left.close(); right.close(); chosen.close()
poll = select.poll(); read, write = os.pipe(); poll.register(read, select.POLLIN); print(poll.poll(5)); os.write(write, b"1"); print(poll.poll(5) == [(read, 1)])
signal.signal(signal.SIGALRM, lambda *_: print("alarm")); signal.setitimer(signal.ITIMER_REAL, 0.02)
print(select.select([], [], [], 0.1)); print(signal.sigtimedwait([signal.SIGUSR1], 0.01))
