package main

import "runtime/debug"

// softLimit is from how much memory on, in bytes, Go's garbage is collected more often than it otherwise would be.
// What is really in use may be more.
const softLimit = 192 << 20

// limitMemory keeps the memory of the process low, unless GOMEMLIMIT says otherwise.
func limitMemory(getenv func(string) string) {
	if getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(softLimit)
	}
}
