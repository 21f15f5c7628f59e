package program

import (
	"strings"
	"testing"
)

type endedServer chan struct{}

func (s endedServer) Ended() <-chan struct{} { return s }

func (s endedServer) Log() string { return "why it has ended" }

// A run ends with its server, at once.
func TestRunEndsWithItsServer(t *testing.T) {
	t.Setenv("HCCTL_BIN", "/bin/sleep")
	p, server := New(t, ""), make(endedServer)
	p.Server = server
	run := p.Start(t, "600")
	close(server)
	err := run.wait()
	if err == nil || !strings.Contains(err.Error(), "sleep 600 was running") ||
		!strings.Contains(err.Error(), "why it has ended") {
		t.Errorf("%v", err)
	}
	<-run.Over()
}
