// Command ambit says what a command will set in motion before it runs.
package main

import (
	"os"

	"github.com/ambit-dev/ambit/internal/cli"
)

func main() { os.Exit(cli.Main()) }
