files = []
while len(files) < 100_000:
    files.append(open("/dev/null"))
print("ESCAPED: 100,000 open files")
