import csv, json, os, socket, tempfile
def rows():
    with open("data.csv", newline="") as f:
        return list(csv.DictReader(f))
def total():
    print(sum(int(r["n"]) for r in rows()))
def save():
    fd, name = tempfile.mkstemp(dir=".")
    with os.fdopen(fd, "w") as f:
        json.dump(rows(), f)
    os.replace(name, "data.json")
def sync():
    host = os.getenv("SYNC_HOST", "sync.example.test")
    try:
        with socket.create_connection((host, 9000), timeout=2) as s:
            s.sendall(b"hi")
    except OSError as e:
        print(e)
