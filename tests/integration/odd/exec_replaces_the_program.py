import os, sys
print('first', flush=True)
os.execv(sys.executable, [sys.executable, '-c', 'print("second"); exit(5)'])
