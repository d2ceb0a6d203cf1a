import threading

for number in range(5000):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
print("ESCAPED: 5000 threads")
