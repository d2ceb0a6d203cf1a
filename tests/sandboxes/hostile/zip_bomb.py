# A small archive that unpacks to gigabytes.
import io
import zipfile

archive = io.BytesIO()
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
    for number in range(4):
        file.writestr(f"zeros-{number}", bytes(16 << 20))
print(len(archive.getvalue()) < 1 << 18)
archive.seek(0)
with zipfile.ZipFile(archive) as file:
    for _ in range(64):
        file.extractall()
        file.extractall("again")
print("ESCAPED: unpacked everything")
