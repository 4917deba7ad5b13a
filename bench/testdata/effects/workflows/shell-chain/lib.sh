run_step() {
  echo "== $1"
  bash "steps/$1.sh"
}
