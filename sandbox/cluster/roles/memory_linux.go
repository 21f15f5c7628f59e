package roles

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// trimInterval is how often a process gives back memory that it does not use.
const trimInterval = 5 * time.Second

// Trim gives back, now and then, the resident pages of this process's own program code and constants until ctx ends.
// Starting Kubernetes touches most of a large binary once; without this each of the sandbox's processes keeps 100 MB of
// it mapped for good. Pages still in use come back from the page cache when they are next touched. With heap, what was
// needed for a burst is given back as well, which the runtime by itself does only in the course of minutes.
func Trim(ctx context.Context, heap bool) {
	tick := time.NewTicker(trimInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if heap {
				debug.FreeOSMemory()
			}
			trimOnce()
		}
	}
}

// trimOnce drops the read-only mappings of this process's binary. It is an economy: whatever fails is left as it is.
func trimOnce() {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	maps, err := os.Open("/proc/self/maps")
	if err != nil {
		return
	}
	defer maps.Close() //nolint:errcheck // only read
	scanner := bufio.NewScanner(maps)
	for scanner.Scan() {
		var from, to uintptr
		var mode string
		line := scanner.Text()
		if !strings.HasSuffix(line, " "+self) {
			continue
		}
		// Writable pages hold data that is nowhere else.
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || strings.Contains(mode, "w") {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
	}
}
