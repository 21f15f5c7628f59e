package restore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/podexec"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Plan is the plan of one restore.
type Plan struct {
	client  *kube.Client
	content *archive.Content
	// snapshot writes the snapshot of the archive. It fails if that is not the snapshot that was checked.
	snapshot func(context.Context, io.Writer) error
	// exec runs a command in a pod.
	exec   func(context.Context, podexec.Command) error
	backup *hyperv1.HostedCluster
	mark   mark
	// Exists reports whether the HostedCluster exists. Resumed reports whether an interrupted restore of it continues.
	Exists, Resumed bool
	// Notes are for the user before the restore.
	Notes []string
	// Planning is set for a dry run: no commands run in pods.
	Planning bool
}

// workloads are the workloads that a restore stops: etcd and everything that writes to it (the vendor's procedure).
var workloads = map[string]bool{
	"etcd": true, "kube-apiserver": true, "openshift-apiserver": true, "openshift-oauth-apiserver": true,
}

// apiServers returns the Deployments among the workloads, sorted.
func apiServers() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(workloads)), func(s string) bool { return s == "etcd" })
}

// refusal returns the error for a cluster into which the backup cannot be restored.
func refusal(next hint.Text, format string, args ...any) error {
	return failure.New(failure.Final, next, format, args...)
}

// Prepare plans a restore; it only reads. It fails if the HostedCluster of that name is another cluster, has other
// encryption keys for etcd, or is being restored from another backup. It also fails if the control plane namespace or
// the infraID belongs to another cluster.
func Prepare(ctx context.Context, c *kube.Client, content *archive.Content,
	snapshot func(context.Context, io.Writer) error) (*Plan, error) {
	m := content.Manifest
	p := &Plan{client: c, content: content, snapshot: snapshot, backup: &hyperv1.HostedCluster{}}
	p.exec = func(ctx context.Context, command podexec.Command) error { return podexec.Run(ctx, c.Config(), command) }
	o := content.Object(hostedcluster.HostedClusterKind, m.Namespace, m.Name)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, p.backup); err != nil {
		return nil, fmt.Errorf("HostedCluster of the backup: %w", err)
	}
	if p.backup.Spec.Etcd.ManagementType != hyperv1.Managed {
		return nil, refusal(hint.New("restore that etcd with its own tools"),
			"the backup is of a cluster with an etcd of its own")
	}
	p.mark = mark{ID: rand.Text(), Snapshot: content.SnapshotSHA256, Created: true}
	hc, err := hostedcluster.Find(ctx, c, m.Namespace, m.Name)
	var missing *hostedcluster.NotFoundError
	switch {
	case errors.As(err, &missing):
		if keys := keysOf(p.backup); len(keys) > 1 {
			p.Notes = append(p.Notes, fmt.Sprintf("the backup has two keys of etcd, as one taken while its data is encrypted "+
				"anew: HyperShift 4.22 and later forgets that of Secret %s once the cluster runs, and what needs it cannot be "+
				"read then; a backup of after that has one key", keys[1]))
		}
		return p, p.check(ctx, p.checkIdentity, p.checkPlane, func(ctx context.Context) error {
			return p.checkKeys(ctx, nil)
		}, p.checkReferences)
	case err != nil:
		return nil, err
	}
	p.Exists, p.mark.Created, p.mark.PausedUntil = true, false, ptr.Deref(hc.Spec.PausedUntil, "")
	if err := p.checkCluster(hc); err != nil {
		return nil, err
	}
	if current, err := markOf(hc); err != nil {
		return nil, err
	} else if current != nil {
		if current.Snapshot != p.mark.Snapshot {
			return nil, refusal(hint.New("run %s with that backup to its end first", hint.Run("restore")),
				"HostedCluster %s is being restored from another backup", kube.Name(hc))
		}
		p.mark, p.Resumed = *current, true
	}
	return p, p.check(ctx, p.checkPlane, func(ctx context.Context) error { return p.checkKeys(ctx, hc) })
}

// check returns the first error of the checks.
func (*Plan) check(ctx context.Context, checks ...func(context.Context) error) error {
	for _, c := range checks {
		if err := c(ctx); err != nil {
			return err
		}
	}
	return nil
}

// checkCluster rejects a HostedCluster that is being deleted or is not the one of the backup.
func (p *Plan) checkCluster(hc *hyperv1.HostedCluster) error {
	m := p.content.Manifest
	if hc.DeletionTimestamp != nil {
		return refusal(hint.New("wait until it is gone: %s", hint.Run("delete cluster",
			hostedcluster.Argument(hc.Namespace, hc.Name))), "HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	}
	if hc.Spec.InfraID != m.InfraID {
		return refusal(hint.New("a backup is restored into its own cluster, or where no cluster has that name"),
			"HostedCluster %s is another cluster than that of the backup: its infraID is %s, that of the backup %s",
			kube.Name(hc), hc.Spec.InfraID, m.InfraID)
	}
	if hc.Spec.Release.Image != p.backup.Spec.Release.Image {
		p.Notes = append(p.Notes, fmt.Sprintf("the backup is of %s and the cluster has %s now: its data is restored, its "+
			"release is not", cmp.Or(m.Version, p.backup.Spec.Release.Image),
			cmp.Or(hostedcluster.ReleaseVersion(hc), hc.Spec.Release.Image)))
	}
	return nil
}

// checkKeys rejects a cluster whose encryption keys differ from the backup's, because the data in etcd could not be
// decrypted. A cluster that does not exist gets the backup's keys, unless there are Secrets with their names. An
// existing one decrypts with the keys of the Secrets that it refers to, whatever their names are.
func (p *Plan) checkKeys(ctx context.Context, hc *hyperv1.HostedCluster) error {
	reads := keysOf(p.backup)
	if hc != nil {
		reads = keysOf(hc)
		// From 4.22 on the operator ignores the backup key of the spec once it knows the active key.
		e, err := hostedcluster.ReadEncryption(ctx, p.client, client.ObjectKeyFromObject(hc))
		if err != nil {
			return fmt.Errorf("read the keys of HostedCluster %s: %w", kube.Name(hc), err)
		}
		if e.Active != "" {
			reads = slices.DeleteFunc([]string{e.Active, e.Target}, func(name string) bool { return name == "" })
		}
	}
	has := map[string][]byte{}
	for _, name := range reads {
		have := &corev1.Secret{}
		err := p.client.Get(ctx, client.ObjectKey{Namespace: p.backup.Namespace, Name: name}, have)
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("read Secret %s/%s: %w", p.backup.Namespace, name, err)
		}
		has[name] = have.Data[hyperv1.AESCBCKeySecretKey]
	}
	for _, name := range keysOf(p.backup) {
		want, err := p.secret(name)
		if err != nil {
			return err
		}
		key := want.Data[hyperv1.AESCBCKeySecretKey]
		other, named := has[name]
		switch {
		case named && other == nil || slices.ContainsFunc(slices.Collect(maps.Values(has)), func(b []byte) bool {
			return bytes.Equal(b, key)
		}):
		case named:
			return refusal(hint.New("a key was changed since the backup; docs/backup.md (Another key)"),
				"Secret %s/%s has another key than the backup: what the backup's etcd holds encrypted could not be read",
				p.backup.Namespace, name)
		default:
			return refusal(hint.New("a key was changed since the backup; docs/backup.md (Another key)"), "HostedCluster %s "+
				"reads its data with the key of Secret %s, and the backup's needs another, that of %s", kube.Name(p.backup),
				strings.Join(reads, " and of "), name)
		}
	}
	return nil
}

// keysOf returns the Secrets with the AES-CBC keys that a HostedCluster refers to.
func keysOf(hc *hyperv1.HostedCluster) []string {
	e := hc.Spec.SecretEncryption
	if e == nil || e.AESCBC == nil {
		return nil
	}
	names := []string{e.AESCBC.ActiveKey.Name}
	if e.AESCBC.BackupKey != nil && e.AESCBC.BackupKey.Name != "" {
		names = append(names, e.AESCBC.BackupKey.Name)
	}
	return names
}

// secret returns a Secret of the backup.
func (p *Plan) secret(name string) (*corev1.Secret, error) {
	o := p.content.Object("Secret", p.backup.Namespace, name)
	if o == nil {
		return nil, refusal(hint.New("take another backup"), "the backup lacks Secret %s", name)
	}
	s := &corev1.Secret{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, s); err != nil {
		return nil, fmt.Errorf("read Secret %s of the backup: %w", name, err)
	}
	return s, nil
}

// plane returns the control plane namespace.
func (p *Plan) plane() string { return p.content.Manifest.ControlPlaneNamespace }
