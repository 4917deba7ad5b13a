import os
import subprocess

from setuptools import setup

version = os.environ.get("DEMO_VERSION", "0.1")
subprocess.run(["uname", "-s"], check=False)
with open("demo/_version.py", "w") as f:
    f.write(f"version = {version!r}\n")
setup(name="demo", version=version, packages=["demo"])
