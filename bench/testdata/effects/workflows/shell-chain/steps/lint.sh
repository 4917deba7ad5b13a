grep -rn TODO src || true
