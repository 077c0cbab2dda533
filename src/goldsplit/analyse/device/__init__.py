"""What the device did: whose kernels ran when, what waits for it were for, why it was idle."""
