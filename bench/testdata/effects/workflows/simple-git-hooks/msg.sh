test -s "$1"
