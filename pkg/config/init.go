package config

import _ "embed" // the document to begin with

//go:embed init.yaml
var initial string

// Initial returns hcctl.yaml as a document to start from: the defaults, and every other field as a comment.
func Initial() []byte { return []byte(initial) }
