"""The report for other programs: tables, viewers of timelines and stacks, a mapping to correct."""
