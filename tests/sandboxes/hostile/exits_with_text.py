import sys

sys.exit("no luck today")
