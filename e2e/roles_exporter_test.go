package e2e

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// exporting is hcctl exporter, run by a user.
type exporting struct {
	p   *person
	cmd *exec.Cmd
	// address is that of the metrics.
	address string
}

var served = regexp.MustCompile(`Serving metrics at (http://127\.0\.0\.1:\d+/metrics)`)

// exports has the user run hcctl exporter, and waits until it serves.
func (p *person) exports(args ...string) *exporting {
	t := p.stage.t
	t.Helper()
	args = append([]string{"exporter", "--listen", "127.0.0.1:0"}, args...)
	cmd := exec.CommandContext(t.Context(), p.stage.hcctl, args...)
	cmd.Dir = p.stage.dir
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HCCTL_") }),
		"KUBECONFIG="+p.kubeconfig, "HOME="+p.stage.dir)
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if found := served.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return &exporting{p, cmd, found[1]}
		}
	}
	t.Fatalf("hcctl exporter does not serve: %v", cmd.Wait())
	return nil
}

// until waits until the metrics have a line.
func (e *exporting) until(want string) {
	t := e.p.stage.t
	t.Helper()
	deadline, tick := time.After(time.Minute), time.NewTicker(50*time.Millisecond)
	defer tick.Stop()
	for {
		got := e.read()
		if strings.Contains(got, want+"\n") {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("%s does not come:\n%s", want, tail(got, 40))
			return
		}
	}
}

func (e *exporting) read() string {
	r, err := http.NewRequestWithContext(e.p.stage.t.Context(), http.MethodGet, e.address, nil)
	if err != nil {
		return err.Error()
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return err.Error()
	}
	return string(body)
}

// ends stops it as a cluster stops a pod; it has to end well.
func (e *exporting) ends() {
	t := e.p.stage.t
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	if err := e.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := e.cmd.Wait(); err != nil {
		t.Errorf("hcctl exporter after SIGTERM: %v", err)
	}
}
