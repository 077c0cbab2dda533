"""Updates of the networks: how they are carried out on a device, and DQN's without autograd on the CPU."""
