import json, os, sys
ROOT = os.environ["SRV_ROOT"]
def names(_): return sorted(os.listdir(ROOT))
def drop(a): os.unlink(os.path.join(ROOT, a["name"])); return "gone"
TOOLS = {"names": names, "drop": drop}
for line in sys.stdin:
    m = json.loads(line)
    if m["method"] == "initialize":
        r = {"protocolVersion": m["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "py", "version": "1"}}
    elif m["method"] == "tools/call":
        r = {"content": [{"type": "text", "text": str(TOOLS[m["params"]["name"]](m["params"]["arguments"]))}]}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
