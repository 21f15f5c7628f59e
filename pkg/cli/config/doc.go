// Package config has the commands about the file hcctl.yaml.
package config
