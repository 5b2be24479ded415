"""`python -m lanista.cli`, for where the script isn't on the path."""

from lanista.cli import main

if __name__ == "__main__":
    main()
