echo "mode ${MODE}"
