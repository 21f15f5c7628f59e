package main_test

import (
	"bytes"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// offline are commands that ask no cluster, with what they may take.
var offline = []struct {
	name string
	args []string
	time time.Duration
	// memory is in MB.
	memory float64
}{
	{"version", []string{"version"}, 30 * time.Millisecond, 25},
	{"help", []string{"--help"}, 30 * time.Millisecond, 35},
	{"completion", []string{"completion", "bash"}, 30 * time.Millisecond, 35},
	{"flags", []string{"__complete", "create", "cluster", "--"}, 30 * time.Millisecond, 35},
	{"render", []string{"create", "cluster", "--name", "bench", "--pull-secret", "pull-secret.json",
		"--release-image", "registry.example.com/release:4.20.3-x86_64", "--render"}, 35 * time.Millisecond, 40},
}

const (
	// maxSize is the size of the program in MB.
	maxSize    = 44
	pullSecret = `{"auths":{"registry.example.com":{"auth":"YmVuY2g6YmVuY2g="}}}`
)

// targets are judged by make bench only: elsewhere the machine may be busy, and what a program has resident depends on
// the machine. Most of it is the program's file, of which the kernel maps what it holds already. Since Linux 6.2 the
// kernel counts it by processor and leaves out small rests. internal/budget holds what packages allocate at start.
var targets = os.Getenv("HCCTL_BENCH_TARGETS") != ""

// built is what TestMain builds, as make build does, where HCCTL_BIN names no program.
var built string

// program asks for HCCTL_BIN in each test, so that Go does not reuse the result of another program.
func program() string {
	if named := os.Getenv("HCCTL_BIN"); named != "" {
		return named
	}
	return built
}

func TestMain(m *testing.M) {
	os.Exit(withProgram(m))
}

func withProgram(m *testing.M) int {
	if program() == "" {
		dir, err := os.MkdirTemp("", "hcctl-start")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir) //nolint:errcheck // the system clears it
		built = filepath.Join(dir, "hcctl")
		build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", built, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			panic(fmt.Sprintf("%v\n%s", err, out))
		}
	}
	return m.Run()
}

// process runs hcctl in a directory of its own. Its kubeconfig leads to a listener that counts connections.
type process struct {
	dir         string
	connections *atomic.Int64
	env         []string
}

func newProcess(tb testing.TB) process {
	tb.Helper()
	p := process{dir: tb.TempDir(), connections: &atomic.Int64{}}
	p.env = append(os.Environ(), "KUBECONFIG=kubeconfig", "HOME="+p.dir)
	server := p.listen(tb)
	for name, text := range map[string]string{"pull-secret.json": pullSecret, "kubeconfig": fmt.Sprintf(
		`{apiVersion: v1, kind: Config, current-context: a, users: [{name: a}],
clusters: [{name: a, cluster: {server: "http://%s"}}], contexts: [{name: a, context: {cluster: a, user: a}}]}`,
		server)} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// listen counts who connects, and hangs up.
func (p process) listen(tb testing.TB) net.Addr {
	tb.Helper()
	l, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.connections.Add(1)
			_ = c.Close()
		}
	}()
	tb.Cleanup(func() {
		_ = l.Close()
		<-ended
	})
	return l.Addr()
}

// run runs hcctl, which has to succeed. It returns the time it took, its memory in MB and its standard error.
func (p process) run(tb testing.TB, args ...string) (time.Duration, float64, string) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), program(), args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if err != nil || out.Len() == 0 {
		tb.Fatalf("hcctl %s: %v, %d bytes of output\n%s", strings.Join(args, " "), err, out.Len(), &errs)
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return took, float64(usage.Maxrss) * 1024 / 1e6, errs.String()
}

func TestOfflineCommandsConnectToNothing(t *testing.T) {
	p := newProcess(t)
	for _, c := range offline {
		p.run(t, c.args...)
		if n := p.connections.Swap(0); n != 0 {
			t.Errorf("hcctl %s: %d connections to the cluster", c.name, n)
		}
	}
}

// TestLibraries is about make build: the program runs on any Linux, whatever C library it has.
func TestLibraries(t *testing.T) {
	build, err := buildinfo.ReadFile(program())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(build.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "CGO_ENABLED" && s.Value == "0"
	}) {
		t.Error("the program was built with cgo")
	}
	file, err := elf.Open(program())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() //nolint:errcheck // only read
	if libraries, err := file.ImportedLibraries(); err != nil || len(libraries) > 0 {
		t.Errorf("the program loads %v, %v", libraries, err)
	}
}

// BenchmarkStart measures whole processes, from their start to their end.
func BenchmarkStart(b *testing.B) {
	for _, c := range offline {
		b.Run(c.name, func(b *testing.B) {
			p := newProcess(b)
			var times []time.Duration
			var most float64
			for b.Loop() {
				took, memory, _ := p.run(b, c.args...)
				times, most = append(times, took), max(most, memory)
			}
			slices.Sort(times)
			median := (times[(len(times)-1)/2] + times[len(times)/2]) / 2
			b.ReportMetric(float64(median.Microseconds())/1000, "median-ms")
			b.ReportMetric(most, "resident-MB")
			if n := p.connections.Load(); n != 0 {
				b.Errorf("%d connections to the cluster", n)
			}
			if targets && (median >= c.time || most >= c.memory) {
				b.Errorf("target missed: median %s, under %s wanted; at most %.1f MB resident, under %.0f wanted", median, c.time,
					most, c.memory)
			}
		})
	}
}

// BenchmarkProgram measures the program's size, and what its packages do before main, by the Go runtime's own trace.
func BenchmarkProgram(b *testing.B) {
	p := newProcess(b)
	p.env = append(p.env, "GODEBUG=inittrace=1")
	info, err := os.Stat(program())
	if err != nil {
		b.Fatal(err)
	}
	var cost initCost
	for b.Loop() {
		_, _, trace := p.run(b, "version")
		cost.add(b, trace)
	}
	b.ReportMetric(0, "ns/op") // not what this is about
	b.ReportMetric(float64(info.Size())/1e6, "program-MB")
	b.ReportMetric(cost.ms/float64(b.N), "init-ms")
	b.ReportMetric(cost.bytes/1e6/float64(b.N), "init-MB")
	b.ReportMetric(cost.allocs/float64(b.N), "init-allocs")
	if targets && float64(info.Size())/1e6 >= maxSize {
		b.Errorf("target missed: the program has %d bytes, under %d MB wanted", info.Size(), maxSize)
	}
}

// initCost is what the initialization of all packages costs.
type initCost struct{ ms, bytes, allocs float64 }

// add reads lines such as "init k8s.io/api/core/v1 @6.7 ms, 0.25 ms clock, 160 bytes, 2 allocs".
func (c *initCost) add(tb testing.TB, trace string) {
	tb.Helper()
	before := c.allocs
	for line := range strings.Lines(trace) {
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" {
			continue
		}
		for i, sum := range map[int]*float64{4: &c.ms, 7: &c.bytes, 9: &c.allocs} {
			n, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				tb.Fatalf("%q: %v", line, err)
			}
			*sum += n
		}
	}
	if c.allocs == before {
		tb.Fatalf("GODEBUG=inittrace=1 told nothing in %d bytes", len(trace))
	}
}

func TestInitCost(t *testing.T) {
	var c initCost
	c.add(t, "init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs\nhcctl v1\n"+
		"init k8s.io/api/core/v1 @6.7 ms, 0.25 ms clock, 160 bytes, 2 allocs\n")
	if want := (initCost{0.25, 160, 2}); c != want {
		t.Errorf("got %+v, want %+v", c, want)
	}
}
