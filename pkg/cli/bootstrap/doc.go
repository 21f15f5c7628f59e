// Package bootstrap has the command bootstrap.
package bootstrap
