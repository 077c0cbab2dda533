import os
import sys

if len(sys.argv) > 1:
    print("second", sys.argv[1:], os.environ.get("GAME"), flush=True)
    sys.exit(3)
print("first", flush=True)
os.execve(path=sys.executable, argv=[sys.executable, sys.argv[0], "x"], env={**os.environ, "GAME": "7"})
