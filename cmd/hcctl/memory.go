package main

import "runtime/debug"

// softLimit is the soft memory limit of Go's garbage collector in bytes. The memory in use may be more.
const softLimit = 192 << 20

// limitMemory sets the soft memory limit, unless GOMEMLIMIT does.
func limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}
