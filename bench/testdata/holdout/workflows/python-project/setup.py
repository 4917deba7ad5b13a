from setuptools import Command, setup

class Gen(Command):
    description = "write the table"
    user_options = []
    def initialize_options(self): pass
    def finalize_options(self): pass
    def run(self):
        from pathlib import Path
        Path("app/table.py").write_text("T = " + repr({i: i * i for i in range(10)}) + "\n")

setup(name="app", version="0.1", packages=["app"], cmdclass={"gen": Gen})
