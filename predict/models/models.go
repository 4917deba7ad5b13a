// Package models holds the command models that ambit ships, as data; docs/models.md describes their format.
package models

import "embed"

// Files has one YAML file per family of commands.
//
//go:embed *.yaml
var Files embed.FS

// Index says where in Files each model is (model.Index), so that a process that needs two of them does not read them all. After
// a change of a model: go generate ./predict/models
//
//go:generate go test . -run TestIndexIsCurrent -update
//go:embed index.txt
var Index string
