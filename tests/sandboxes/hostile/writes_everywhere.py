# Tries to make a file in every folder there is, and says where that worked.
import os

places = []
for folder, folders, _ in os.walk("/"):
    if folder.startswith("/proc/") and folder.count("/") > 2 and not folder.startswith("/proc/sys"):
        folders.clear()
    path = os.path.join(folder, "planted")
    try:
        with open(path, "w") as file:
            file.write("x")
        places.append(folder)
        os.remove(path)
    except OSError:
        pass
print(places)
