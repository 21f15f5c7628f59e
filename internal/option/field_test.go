package option_test

import (
	"slices"
	"testing"

	"github.com/hcctl/hcctl/internal/option"
)

func TestPath(t *testing.T) {
	for writes, want := range map[string][]string{
		"Secret <name>-x data[y], HostedCluster spec.sshKey.name": {"spec", "sshKey", "name"},
		"HostedCluster metadata.annotations[a.example/b]":         {"metadata", "annotations", "a.example/b"},
		"NodePool spec.arch": nil,
	} {
		if got := (option.Field{Writes: writes}).Path("HostedCluster"); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", writes, got, want)
		}
	}
}
