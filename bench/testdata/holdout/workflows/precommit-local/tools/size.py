#!/usr/bin/env python3
import pathlib, sys
sys.exit(any(pathlib.Path(p).stat().st_size > 100_000 for p in sys.argv[1:]))
