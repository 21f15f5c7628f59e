//go:build !linux

package roles

import "context"

// Trim does nothing: only Linux tells which pages a process does not need.
func Trim(context.Context, bool) {}
