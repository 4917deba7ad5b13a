printf "a\nb\n" > "$1"
