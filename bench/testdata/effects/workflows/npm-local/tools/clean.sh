git diff --quiet
