"""``python -m goldsplit``."""

from goldsplit.cli.main import main

if __name__ == "__main__":
    main()
