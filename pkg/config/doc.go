// Package config is hcctl.yaml: its types, where each field is described once for the schema, the flags and the
// messages, and what it means as options of the libraries. It takes bytes and returns values and errors; it prints and
// asks nothing.
package config
