# Empty files cost memory of the kernel.
made = 0
try:
    while made < 1_000_000:
        open(f"file-{made}", "w").close()
        made += 1
    print("ESCAPED: made a million files")
except OSError as error:
    print("contained:", error.strerror)
