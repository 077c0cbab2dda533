"""What processes counted: steps, episodes, updates, rates, facts, CPU and memory."""
