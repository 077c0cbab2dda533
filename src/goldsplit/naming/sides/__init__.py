"""Who plays against the agent."""
