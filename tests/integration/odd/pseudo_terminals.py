import os, pty, sys, termios, tty
class Game:
    def reset(self): return 0
    def step(self, action): return action, 1.0, False, {}
pid, fd = pty.fork()
if not pid:
    print(sys.stdout.isatty(), os.ttyname(1) != "", Game().step(1), input("? ")); sys.exit(3)
text = b""
while not text.endswith(b"? "): text += os.read(fd, 1000)  # or the terminal would echo before the question
os.write(fd, b"hello\n")
try:
    while more := os.read(fd, 1000): text += more
except OSError: pass
print(text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
master, slave = pty.openpty(); tty.setraw(slave)
import subprocess
done = subprocess.Popen([sys.executable, "-q", "-c", "import sys; print(sys.stdin.isatty())"], stdin=slave, stdout=slave, close_fds=True)
done.wait(); print(os.read(master, 100))
