import os, sys, urllib.request
try:
    urllib.request.urlopen("http://stamp.example.test/?rev=" + sys.argv[1], timeout=2)
except OSError as e:
    print(e)
if os.environ.get("STAMP_FILE"):
    open(os.environ["STAMP_FILE"], "a").write(sys.argv[1])
