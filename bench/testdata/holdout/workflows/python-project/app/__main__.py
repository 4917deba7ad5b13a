import argparse, logging
from . import store
p = argparse.ArgumentParser(prog="app")
s = p.add_subparsers(dest="cmd")
s.add_parser("sum"); s.add_parser("save"); s.add_parser("sync")
a = p.parse_args()
logging.basicConfig(level="INFO")
{"sum": store.total, "save": store.save, "sync": store.sync}.get(a.cmd, p.print_help)()
