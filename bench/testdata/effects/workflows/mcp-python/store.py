import json
import os
import subprocess
import sys

PATH = os.environ["STORE_PATH"]


def put(args):
    with open(PATH, "w") as f:
        json.dump(args, f)
    return "ok"


def backup(args):
    return subprocess.run(["tar", "czf", "backup.tgz", PATH], capture_output=True, text=True).stderr


TOOLS = {"put": put, "backup": backup}

for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m:
        continue
    if m["method"] == "initialize":
        result = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "store", "version": "1"}}
    else:
        result = {"content": [{"type": "text", "text": TOOLS[m["params"]["name"]](m["params"]["arguments"])}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
