import pathlib
import sys

for name in sys.argv[1:]:
    p = pathlib.Path(name)
    p.write_text(p.read_text().rstrip() + "\n")
