// Package support implements hcctl support.
package support
