// Package bootstrap implements hcctl bootstrap.
package bootstrap
