import sys
print('x')
sys.exit('said at the end')
