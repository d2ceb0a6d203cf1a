# Where clouds hand out credentials.
import urllib.request

for url in ("http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://[fd00:ec2::254]/"):
    try:
        print("ESCAPED:", urllib.request.urlopen(url, timeout=0.3).read())
    except OSError as error:
        print("contained:", error)
