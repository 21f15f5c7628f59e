package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/etcdutl/v3/snapshot"
	"go.uber.org/zap"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
)

// kubePrefix is the prefix of the keys of OpenShift's API servers.
const kubePrefix = "/kubernetes.io"

// etcdFlags are the flags of etcdctl and etcdutl that the sandbox knows.
type etcdFlags struct {
	dataDir string
	skip    bool
	config  snapshot.RestoreConfig
	words   []string
}

func (p *process) etcdFlags() (*etcdFlags, error) {
	f := &etcdFlags{}
	set := pflag.NewFlagSet(p.args[0], pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, name := range []string{"cacert", "cert", "key", "endpoints"} {
		set.String(name, "", "")
	}
	set.StringP("write-out", "w", "", "")
	set.StringVar(&f.dataDir, "data-dir", "", "")
	set.BoolVar(&f.skip, "skip-hash-check", false, "")
	set.StringVar(&f.config.Name, "name", "default", "")
	set.StringVar(&f.config.InitialCluster, "initial-cluster", "default=http://localhost:2380", "")
	set.StringVar(&f.config.InitialClusterToken, "initial-cluster-token", "etcd-cluster", "")
	peers := set.StringSlice("initial-advertise-peer-urls", []string{"http://localhost:2380"}, "")
	set.Uint64Var(&f.config.RevisionBump, "bump-revision", 0, "")
	set.BoolVar(&f.config.MarkCompacted, "mark-compacted", false, "")
	if err := set.Parse(p.args[1:]); err != nil {
		return nil, err
	}
	f.words, f.config.PeerURLs = set.Args(), *peers
	return f, nil
}

// etcdctl knows "snapshot save", and as etcd 3.5 has it "snapshot restore".
func etcdctl(ctx context.Context, p *process) int {
	f, err := p.etcdFlags()
	if err != nil {
		return p.fail(err)
	}
	if len(f.words) == 3 && f.words[0] == "snapshot" && f.words[1] == "save" {
		return p.save(ctx, f.words[2])
	}
	return etcdutl(ctx, p)
}

// etcdutl is the real "snapshot restore", and "version".
func etcdutl(_ context.Context, p *process) int {
	f, err := p.etcdFlags()
	switch {
	case err != nil:
		return p.fail(err)
	case len(f.words) == 1 && f.words[0] == "version":
		_, _ = fmt.Fprintln(p.stdout, "etcdutl version: 3.6.8")
		return 0
	case len(f.words) != 3 || f.words[0] != "snapshot" || f.words[1] != "restore":
		return p.fail(fmt.Errorf("the sandbox does not know %q", strings.Join(f.words, " ")))
	}
	f.config.SnapshotPath, f.config.OutputDataDir, f.config.SkipHashCheck = p.files.host(f.words[2]),
		p.files.host(f.dataDir), f.skip
	if err := snapshot.NewV3(zap.NewNop()).Restore(f.config); err != nil {
		return p.fail(err)
	}
	return 0
}

// save writes a snapshot of the hosted cluster's data: what a member of its own etcd would have.
func (p *process) save(ctx context.Context, name string) int {
	temp, err := os.MkdirTemp(p.host.Dir, "etcd-")
	if err != nil {
		return p.fail(err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	if err := p.host.Etcd.Snapshot(ctx, GuestPrefix(p.pod.Namespace), kubePrefix, temp, p.host.LogFile,
		p.files.host(name)); err != nil {
		return p.fail(err)
	}
	_, _ = fmt.Fprintln(p.stdout, "Snapshot saved at", name)
	return 0
}

// firstMember is the member of etcd that takes restored data.
const firstMember = "etcd-0"

// Started is called before a pod becomes Running. Member 0 of an etcd whose volume has restored data brings that to the
// hosted cluster: the sandbox keeps one copy, not one per member. The others have no quorum before.
func (h *Host) Started(ctx context.Context, pod *corev1.Pod) error {
	if pod.Labels["app"] != "etcd" || !strings.HasPrefix(pod.Name, "etcd-") {
		return nil
	}
	db, err := h.restored(ctx, pod.Namespace)
	switch {
	case err != nil || db == "":
		return err
	case pod.Name != firstMember:
		return fmt.Errorf("%s of %s waits for the restored data of %s", pod.Name, pod.Namespace, firstMember)
	case h.APIServerRuns(pod.Namespace):
		return fmt.Errorf("etcd of %s has other data, but the API server still runs", pod.Namespace)
	}
	keys, err := etcd.ReadData(db, kubePrefix)
	if err != nil {
		return err
	}
	if err := h.Etcd.Replace(ctx, GuestPrefix(pod.Namespace), keys); err != nil {
		return err
	}
	return os.Remove(db)
}

// restored returns the file of restored data in the volume of member 0, or "" if there is none.
func (h *Host) restored(ctx context.Context, namespace string) (string, error) {
	dir, err := h.volume(ctx, types.NamespacedName{Namespace: namespace, Name: "data-" + firstMember})
	if err != nil {
		return "", client.IgnoreNotFound(err)
	}
	db := filepath.Join(dir, "data", "member", "snap", "db")
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return db, nil
}
