package config

import _ "embed" // the document to begin with

//go:embed init.yaml
var initial string

// Initial is a document to begin with: the defaults, and every other field as a comment.
func Initial() []byte { return []byte(initial) }
