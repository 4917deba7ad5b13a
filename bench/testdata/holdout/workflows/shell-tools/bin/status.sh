#!/bin/sh
# read only
count() { find "$1" -type f | wc -l; }
case "$(uname -s)" in
  Linux) kind=linux ;;
  Darwin) kind=mac ;;
  *) kind=other ;;
esac
echo "$kind $(count data)"
