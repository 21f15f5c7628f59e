package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/sandbox/cluster"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func TestFormOfHyperShift(t *testing.T) {
	for _, c := range []struct {
		profile, host string
		lean, want    bool
		err           string
	}{
		{"ready", "", false, false, ""},
		{"ready", "simulated", true, false, ""},
		{"ready", "real", false, true, ""},
		{"real", "", false, true, ""},
		{"real", "real", false, true, ""},
		{"real", "simulated", false, false, "use profile ready"},
		{"real", "", true, false, "--lean"},
		{"ready", "vendor", false, false, "must be simulated or real"},
	} {
		p, err := profile.Get(c.profile)
		if err != nil {
			t.Fatal(err)
		}
		got, err := realHyperShift(cluster.Options{Profile: p, Lean: c.lean}, c.host)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("profile %s, --hypershift %q: %v, %v, want %v, %q", c.profile, c.host, got, err, c.want, c.err)
		}
	}
}

func TestJoinAtTheHub(t *testing.T) {
	hub := filepath.Join(t.TempDir(), "kubeconfig")
	config := clientcmdapi.NewConfig()
	config.Clusters["hub"] = &clientcmdapi.Cluster{Server: "https://127.0.0.1:1"}
	config.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub"}
	config.CurrentContext = "hub"
	if err := clientcmd.WriteToFile(*config, hub); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		join cluster.Join
		want bool
		err  string
	}{
		{cluster.Join{}, false, ""},
		{cluster.Join{Hub: hub, Cluster: "site-1"}, true, ""},
		{cluster.Join{Hub: hub}, false, "work together"},
		{cluster.Join{Cluster: "site-1"}, false, "work together"},
		{cluster.Join{Hub: hub, Cluster: "Site.1"}, false, "no name of a ManagedCluster"},
		{cluster.Join{Hub: hub + "-none", Cluster: "site-1"}, false, "--join: "},
	} {
		var opts cluster.Options
		err := setJoin(&opts, c.join)
		if (opts.Join != nil) != c.want || (err == nil) != (c.err == "") ||
			err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %v, %v, want %v, %q", c.join, opts.Join, err, c.want, c.err)
		}
	}
}

// The same state at birth is recorded once.
func TestProfilesThatStartFromTheRecordingOfReady(t *testing.T) {
	for _, name := range []string{"real", "newest"} {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		ready, err := profile.Get(p.World())
		if err != nil || ready.Name != "ready" || ready.World() != "ready" {
			t.Fatalf("the recording of %s is %q's, %v", name, p.World(), err)
		}
		if p.OpenShift != ready.OpenShift || p.ReleaseImage != ready.ReleaseImage || p.Nodes != ready.Nodes ||
			p.Birth != ready.Birth || p.MCE().Version != ready.MCE().Version {
			t.Errorf("%+v is not as %+v", p, ready)
		}
	}
}

// TestSystems: where the sandbox cannot run, it says so before it makes a directory; what only prints works everywhere.
func TestSystems(t *testing.T) {
	for _, c := range []struct {
		system string
		args   []string
		code   int
		says   string
	}{
		{"darwin", []string{"start"}, exitError, "start: the sandbox needs Linux, and this is darwin: "},
		{"windows", []string{"start"}, exitError, "start: the sandbox needs Linux, and this is windows: "},
		{"windows", []string{"record"}, exitError, "record: the sandbox needs Linux, and this is windows: "},
		{"windows", []string{"profiles"}, exitOK, defaultProfile},
		{"linux", []string{"start"}, exitUsage, "--dir DIR is required"},
	} {
		var out strings.Builder
		dir := filepath.Join(t.TempDir(), "dir")
		args := c.args
		if c.system != "linux" && c.args[0] == "start" {
			args = append(args, "--dir", dir)
		}
		if code := run(c.system, args, &out, &out); code != c.code || !strings.Contains(out.String(), c.says) {
			t.Errorf("%s, %v: exit %d, want %d with %q:\n%s", c.system, args, code, c.code, c.says, out.String())
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%s, %v made a directory", c.system, args)
		}
	}
}
