// Package config implements hcctl config, the commands about hcctl.yaml and files of clusters.
package config
