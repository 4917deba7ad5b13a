import pathlib
import shutil
import sys

src = pathlib.Path(sys.argv[1])
out = pathlib.Path("build") / src.name
out.parent.mkdir(exist_ok=True)
shutil.copy(src, out)
