package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// called is what a call of hcctl comes to that has no cluster, no environment and no files.
func called(f *testing.F) func(args ...string) (code int, stdout, stderr string) {
	f.Helper()
	f.Setenv("KUBECONFIG", filepath.Join(f.TempDir(), "none"))
	f.Setenv("HOME", f.TempDir())
	return func(args ...string) (int, string, string) {
		var out, errs bytes.Buffer
		code := Main(context.Background(), args, cmdutil.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
			func(string) string { return "" })
		return code, out.String(), errs.String()
	}
}

// withoutFiles are the flags of create cluster whose values are not paths.
func withoutFiles() []string {
	var out []string
	add := func(fields []options.Field, values any, named func(string) string) {
		for _, f := range fields {
			if f.Flag == "" {
				continue
			}
			switch option.At(reflect.ValueOf(values).Elem(), f.Name).Addr().Interface().(type) {
			case *options.File, *options.Files:
			default:
				out = append(out, "--"+named(f.Flag))
			}
		}
	}
	add(options.Fields(), &options.Cluster{}, cmdutil.AsGiven)
	add(options.FirstPoolFields(), &options.NodePool{}, options.ClusterFlag)
	return out
}

// FuzzCreateFlags gives any values to any two flags of create cluster: they are rendered, without a Secret, or refused
// as wrong usage by errors of one line that a terminal can show; nothing else.
func FuzzCreateFlags(f *testing.F) {
	flags := withoutFiles()
	for i := range flags {
		f.Add(uint8(i), "a", uint8(i+1), "true")
	}
	f.Add(uint8(0), "\x1b[2Ja\nb", uint8(1), "a=b,c=\"d")
	hcctl := called(f)
	f.Fuzz(func(t *testing.T, first uint8, a string, second uint8, b string) {
		code, stdout, stderr := hcctl("create", "cluster", "--name", "kv-00", "--render", "--release-image",
			"quay.io/a/b:4.20.3-x86_64", "--ssh-key=",
			flags[int(first)%len(flags)]+"="+a, flags[int(second)%len(flags)]+"="+b)
		switch {
		case code == cmdutil.ExitDone:
			if !strings.Contains(stdout, "kind: HostedCluster") || strings.Contains(stdout, "\nkind: Secret\n") {
				t.Fatalf("rendered %q", stdout)
			}
		case code != cmdutil.ExitUsage || stdout != "" || stderr == "":
			t.Fatalf("exit code %d, stdout %q, stderr %q", code, stdout, stderr)
		}
		if i := strings.IndexFunc(stderr, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }); i >= 0 {
			t.Fatalf("stderr %q", stderr)
		}
		for _, line := range strings.Split(strings.TrimSpace(stderr), "\n") {
			if code != cmdutil.ExitDone && !strings.HasPrefix(line, "Error: ") && !strings.HasPrefix(line, "  ") {
				t.Fatalf("line %q of %q", line, stderr)
			}
		}
	})
}

// FuzzSelector: a selector is wrong usage where Kubernetes does not know it, and else taken.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{"env=lab", "a in (b,c),!d", "a>1", "a notin ()", "=", "a==b,"} {
		f.Add(s)
	}
	hcctl := called(f)
	f.Fuzz(func(t *testing.T, s string) {
		code, stdout, stderr := hcctl("get", "clusters", "--selector="+s)
		_, err := labels.Parse(s)
		if (code == cmdutil.ExitUsage) != (err != nil) || code == cmdutil.ExitDone || stdout != "" || stderr == "" {
			t.Fatalf("exit code %d for %v, stdout %q, stderr %q", code, err, stdout, stderr)
		}
	})
}
