echo "package main" > zz_generated.go
