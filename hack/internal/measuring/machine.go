package measuring

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// Machine is the machine of the measurement, without a name.
type Machine struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPU  string `json:"cpu"`
	CPUs int    `json:"cpus"`
	// Memory is in GB.
	Memory float64 `json:"memory"`
	// Load is the average number of processes that wanted a CPU in the minute before the measurement. More than a few
	// tenths means noisy times.
	Load float64 `json:"load"`
}

// Same reports whether both are the same machine, whatever its load.
func (m Machine) Same(o Machine) bool {
	return m.OS == o.OS && m.Arch == o.Arch && m.CPU == o.CPU && m.CPUs == o.CPUs
}

// String returns the machine in one line.
func (m Machine) String() string {
	return fmt.Sprintf("%d CPUs (%s), %s GB, %s/%s, load %s before it began", m.CPUs, m.CPU, Number(m.Memory), m.OS,
		m.Arch, Number(m.Load))
}

// ThisMachine reads the machine's data on Linux. On other systems some fields are empty.
func ThisMachine() Machine {
	m := Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), CPU: "unknown"}
	if content, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := FieldOf(string(content), "model name"); name != "" {
			m.CPU = name
		}
	}
	if content, err := os.ReadFile("/proc/meminfo"); err == nil {
		kib, _ := strconv.ParseFloat(strings.TrimSuffix(FieldOf(string(content), "MemTotal"), " kB"), 64)
		m.Memory = float64(int(kib*1024/1e8)) / 10
	}
	if content, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.Load, _ = strconv.ParseFloat(strings.Fields(string(content) + " 0")[0], 64)
	}
	return m
}

// FieldOf returns the value of the first line that begins with the name and a colon.
func FieldOf(text, name string) string {
	for line := range strings.Lines(text) {
		if before, after, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(before) == name {
			return strings.TrimSpace(after)
		}
	}
	return ""
}

// Git runs git in the working directory; "" without git or a repository.
func Git(args ...string) string {
	out, err := exec.Command("git", args...).Output() //nolint:noctx // ends by itself
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
