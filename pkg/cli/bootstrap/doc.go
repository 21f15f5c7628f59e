// Package bootstrap has the commands about the management cluster: check, bootstrap, uninstall.
package bootstrap
