package network

import (
	"strings"
	"testing"
)

func TestRepeated(t *testing.T) {
	line := func(clock string) string {
		return "  " + clock + "  cluster/etcd  unknown  the API server does not answer\n"
	}
	if got := repeated(line("1.0s") + line("2s") + line("1m03s") + "\n\n\n\n\n"); got != "" {
		t.Errorf("three times is not often: %q", got)
	}
	four := line("1.0s") + line("2s") + line("1m03s") + "other\n" + line("1m04s")
	if got := repeated(four); !strings.HasPrefix(got, "cluster/etcd") {
		t.Errorf("four times is often: %q", got)
	}
	rows := ""
	for _, pool := range []string{"a", "b", "c", "d"} {
		rows += "pool-" + pool + "/nodes  blocked  -\n"
	}
	if got := repeated(rows); got != "" {
		t.Errorf("four steps that are blocked are four lines: %q", got)
	}
}
