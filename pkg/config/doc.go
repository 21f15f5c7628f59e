// Package config reads and describes hcctl's files: hcctl.yaml with the settings of check and bootstrap, and documents
// of the kinds Cluster and Fleet. It takes bytes and returns values and errors.
//
// It reads strictly: an unknown or repeated field and a value of the wrong type are errors with their line. One table
// describes the fields of hcctl.yaml for the schema, the flags and the messages; those of a cluster are in
// pkg/hostedcluster/options.
package config
