"""`python3 /opt/reprise` starts the runner. It is a module of its own because only modules are kept compiled."""

from runner import main

main()
