test "$STRICT" = 1
