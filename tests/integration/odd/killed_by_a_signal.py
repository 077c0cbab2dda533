import os, signal
print('x', flush=True)
os.kill(os.getpid(), signal.SIGTERM)
