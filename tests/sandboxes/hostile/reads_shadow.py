for path in ("/etc/shadow", "/etc/gshadow", "/root/.ssh/id_rsa", "/root/.bashrc", "/proc/kcore", "/proc/keys"):
    try:
        with open(path, "rb") as file:
            content = file.read(100)
        print("ESCAPED:" if content else "empty:", path, content)
    except OSError as error:
        print("contained:", path, error.strerror)
