package restore

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/podexec"
)

// done fails unless the cluster is as a restore has to leave it.
func (w *world) done(pausedUntil string) {
	w.t.Helper()
	for what, got := range map[string][2]string{
		"the mark":               {w.at("HostedCluster", "clusters", "kv-00", "metadata", "annotations", MarkAnnotation), ""},
		"pausedUntil":            {w.at("HostedCluster", "clusters", "kv-00", "spec", "pausedUntil"), pausedUntil},
		"etcd's members":         {w.at("StatefulSet", plane, "etcd", "spec", "replicas"), "3"},
		"API servers":            {w.at("Deployment", plane, "kube-apiserver", "spec", "replicas"), "2"},
		"OAuth servers":          {w.at("Deployment", plane, "openshift-oauth-apiserver", "spec", "replicas"), "2"},
		"the volume of member 1": {w.at("PersistentVolumeClaim", plane, "data-etcd-1", "metadata", "uid"), "new-1"},
		"the volume of member 2": {w.at("PersistentVolumeClaim", plane, "data-etcd-2", "metadata", "uid"), "new-2"},
		"the pod":                {w.at("Pod", plane, podName, "metadata", "name"), ""},
	} {
		if got[0] != got[1] {
			w.t.Errorf("%s: %q, want %q", what, got[0], got[1])
		}
	}
	if w.at("PersistentVolumeClaim", plane, "data-etcd-0", "metadata", "annotations", DataAnnotation) == "" {
		w.t.Error("the volume of member 0 is not marked")
	}
}

// TestKilledAnywhere kills a restore before and after each of its writes. The next run goes on: it ends as a run
// without interruption does, and does not restore again what is marked as restored.
func TestKilledAnywhere(t *testing.T) {
	for name, tc := range map[string]struct {
		objects []string
		// pausedUntil is that of the HostedCluster from before.
		pausedUntil string
		// volume0 is the volume of member 0 at the end.
		volume0 string
		least   int
	}{
		"set back":         {running(), "", "old-0", 13},
		"a paused cluster": {append(running()[1:], hosted("", `pausedUntil: "2030-01-01T00:00:00Z"`)), "2030-01-01T00:00:00Z", "old-0", 13},
		"created again":    {nil, "", "new-0", 20},
	} {
		t.Run(name, func(t *testing.T) {
			writes := 0
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, tc.objects...)
				w.react()
				if err := w.run(); err != nil {
					t.Fatal(err)
				}
				w.done(tc.pausedUntil)
				if tc.objects == nil && (w.get("ConfigMap", "clusters", "kv-00-user-ca-bundle") == nil ||
					w.get("Secret", plane, "root-ca") == nil || w.get("NodePool", "clusters", "kv-00") == nil) {
					t.Error("not all objects of the backup were created")
				}
				if writes = w.writes; writes < tc.least || len(w.restored) != 1 {
					t.Errorf("%d writes, restored %d times", writes, len(w.restored))
				}
			})
			for n := range 2 * writes {
				before := n%2 == 0
				t.Run(fmt.Sprintf("%d %t", n/2+1, before), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						w := newWorld(t, tc.objects...)
						w.react()
						w.killAt, w.killBefore = n/2+1, before
						if err := w.run(); !errors.Is(err, errKilled) {
							t.Fatalf("it was to be killed: %v", err)
						}
						marked := w.at("PersistentVolumeClaim", plane, "data-etcd-0", "metadata", "annotations", DataAnnotation) != ""
						restored := len(w.restored)
						over := restored > 0 && w.at("HostedCluster", "clusters", "kv-00", "metadata", "annotations",
							MarkAnnotation) == ""
						w.killAt = 0
						if err := w.run(); err != nil {
							t.Fatal(err)
						}
						w.done(tc.pausedUntil)
						if again := len(w.restored) - restored; marked && !over && again != 0 || !marked && again != 1 {
							t.Errorf("marked as restored %t, and restored %d times more", marked, again)
						}
						if got := w.at("PersistentVolumeClaim", plane, "data-etcd-0", "metadata", "uid"); got != tc.volume0 {
							t.Errorf("the volume of member 0 is %s, want %s", got, tc.volume0)
						}
					})
				})
			}
		})
	}
}

// TestASnapshotThatIsNotRestored leaves the volumes of the pod, and the cluster paused and marked. Then it goes on.
func TestASnapshotThatIsNotRestored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, running()...)
		w.react()
		w.execFail = &podexec.Error{Where: "container restore", Code: 1, Stderr: "no space left on device"}
		err := w.run()
		if err == nil || !strings.Contains(err.Error(), "no space left on device") {
			t.Errorf("got %v", err)
		}
		if w.at("HostedCluster", "clusters", "kv-00", "metadata", "annotations", MarkAnnotation) == "" ||
			w.at("HostedCluster", "clusters", "kv-00", "spec", "pausedUntil") != "true" {
			t.Error("the cluster is not paused and marked any more")
		}
		w.execFail = nil
		if err := w.run(); err != nil {
			t.Fatal(err)
		}
		w.done("")
	})
}
