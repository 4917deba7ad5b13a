#!/usr/bin/env bash
set -euo pipefail
work=$(mktemp -d)
cleanup() { rm -rf "$work"; }
trap cleanup EXIT
usage() { cat <<EOF
usage: $0 [-n] [-o dir] version
EOF
}
dry=0 out=dist
while getopts 'no:h' opt; do
  case $opt in
    n) dry=1 ;;
    o) out=$OPTARG ;;
    h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
version=${1:?version}
steps=(notes archive)
notes() { printf '# %s\n' "$version" > "$work/notes.md"; }
archive() { tar -C data -czf "$work/data.tgz" .; }
for s in "${steps[@]}"; do "$s"; done
if (( dry )); then ls "$work"; exit; fi
mkdir -p "$out"
cp "$work"/* "$out"/
