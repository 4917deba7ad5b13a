import subprocess, sys
SESSIONS = {}
def session(f):
    SESSIONS[f.__name__] = f
    return f
@session
def lint():
    subprocess.run([sys.executable, "-m", "py_compile", "app/store.py"], check=True)
@session
def tests():
    subprocess.check_call([sys.executable, "-m", "unittest", "-q", "tests.test_total"])
@session
def pack():
    import zipfile
    with zipfile.ZipFile("app.zip", "w") as z:
        z.write("app/store.py")
if __name__ == "__main__":
    for name in sys.argv[1:] or ["tests"]:
        SESSIONS[name]()
