#!/bin/bash
trap 'rm -f "$pidfile"' EXIT
pidfile=$(mktemp)
echo $$ > "$pidfile"
exec 3<"$pidfile"
read -r n <&3
echo "pid $n"
