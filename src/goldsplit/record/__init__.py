"""Running program → recording. Half of it runs inside the user's processes (standard library only:
engine, spans, writer, hooks, autostart), half beside them (launch, stacks, system)."""
