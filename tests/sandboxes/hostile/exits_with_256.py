# Only eight bits of an exit code arrive.
import sys

sys.exit(256)
