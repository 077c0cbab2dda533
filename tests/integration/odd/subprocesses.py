import subprocess, sys
print(subprocess.check_output([sys.executable, '-I', '-c', 'print(2)']))
print(subprocess.run('exit 3', shell=True).returncode, subprocess.getoutput('echo 4'))
try: subprocess.run(['sleep', '5'], timeout=0.01)
except subprocess.TimeoutExpired as error: print(type(error).__name__)
