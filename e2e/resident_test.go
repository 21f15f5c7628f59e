package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// settleTime is how long processes may take to return memory after a peak.
const settleTime = 30 * time.Second

// residentUnder fails if the resident memory of the process and its descendants does not fall to limit MiB. Shared
// pages count for each process.
func residentUnder(pid int, limit string) error {
	most, err := strconv.Atoi(limit)
	if err != nil {
		return fmt.Errorf("sandbox resident MIB: %w", err)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	deadline := time.After(settleTime)
	for {
		total, err := residentKiB(pid)
		if err != nil {
			return err
		}
		if total <= most*1024 {
			return nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return fmt.Errorf("%d MiB resident, want at most %d", total/1024, most)
		}
	}
}

// residentKiB adds up the resident memory of a process and all its descendants.
func residentKiB(pid int) (int, error) {
	total, err := status(pid, "VmRSS:")
	if err != nil {
		return 0, err
	}
	children, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		return 0, err
	}
	for _, file := range children {
		list, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		for _, child := range strings.Fields(string(list)) {
			n, err := strconv.Atoi(child)
			if err != nil {
				return 0, err
			}
			more, err := residentKiB(n)
			if err != nil {
				return 0, err
			}
			total += more
		}
	}
	return total, nil
}

// status reads a number from /proc/PID/status.
func status(pid int, field string) (int, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if value, ok := strings.CutPrefix(line, field); ok {
			return strconv.Atoi(strings.Fields(value)[0])
		}
	}
	return 0, fmt.Errorf("process %d has no %s", pid, field)
}
