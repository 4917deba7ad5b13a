import json
import os
import urllib.request

token = os.environ["REPORT_TOKEN"]
body = json.dumps({"ok": True}).encode()
req = urllib.request.Request("https://report.example.test/", data=body, headers={"Authorization": token})
try:
    urllib.request.urlopen(req, timeout=5)
except OSError as e:
    print(e)
