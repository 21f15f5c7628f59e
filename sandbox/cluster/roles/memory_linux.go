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

// trimInterval is the time between two calls of trimOnce.
const trimInterval = 5 * time.Second

// Trim returns the resident pages of this process's own binary to the kernel from time to time, until ctx ends. Without
// it each process keeps 100 MB of pages that only the start of Kubernetes needed; with heap it also frees heap memory
// after a peak, sooner than the Go runtime.
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

// trimOnce drops the read-only mappings of this process's binary. It only saves memory, so it ignores errors.
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
		// Writable pages have no copy in the binary.
		if _, err := fmt.Sscanf(line, "%x-%x %s", &from, &to, &mode); err != nil || strings.Contains(mode, "w") {
			continue
		}
		_, _, _ = unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED)
	}
}
