"""What runs inside the program to see its GPU: the device's clock at borders of spans, short windows of
torch's profiler, and waits for the device. Nothing here runs before the program itself uses the device."""
