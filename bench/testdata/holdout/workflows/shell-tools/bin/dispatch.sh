#!/bin/bash
cmd_list() { ls data; }
cmd_touch() { : > "data/$1"; }
cmd_ping() { getent hosts "$1.example.test"; }
name=cmd_${1:-list}; shift || true
declare -F "$name" >/dev/null || { echo "no such command" >&2; exit 64; }
"$name" "$@"
