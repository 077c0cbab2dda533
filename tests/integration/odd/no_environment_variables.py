import os, subprocess, sys
os.environ.clear()
print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, env={}).stdout)
