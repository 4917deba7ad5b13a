// Package models holds the command models that ambit ships, as data; docs/models.md describes their format.
package models

import "embed"

// Files has one YAML file per family of commands.
//
//go:embed *.yaml
var Files embed.FS
