# What a container that was killed for its memory would end with.
import os

os._exit(137)
