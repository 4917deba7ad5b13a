#!/bin/bash
set -euo pipefail
. ./lib.sh
for step in lint build; do
  run_step "$step"
done
