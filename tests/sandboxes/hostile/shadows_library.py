# Modules of its own under the names of those that the runner uses.
import json
import signal

print(json.planted, signal.planted)
