package backup

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"filippo.io/age"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/archive"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Options are the options of a backup.
type Options struct {
	// Namespace and Name identify the HostedCluster.
	Namespace, Name string
	// Target is the path of the archive, which must not exist.
	Target string
	// Recipients are the keys that the archive is encrypted for. Without any it is not encrypted.
	Recipients []age.Recipient
	// Identities decrypt the archive to verify it. Without any, only the file's hash is compared.
	Identities []age.Identity
	// Hcctl is the version of hcctl, for the manifest.
	Hcctl string
}

// Backup is one backup of a hosted cluster.
type Backup struct {
	options Options
	client  *kube.Client
	Cluster *hyperv1.HostedCluster
	// Keys are the encryption keys of etcd's data.
	Keys hostedcluster.Encryption

	objects []*unstructured.Unstructured
	// SHA256 is the hash of the archive file; empty until it is written.
	SHA256 string
	// Content is the content of the verified archive; nil if it could not be decrypted.
	Content  *archive.Content
	verified bool
}

// Prepare finds the hosted cluster. It fails with *hostedcluster.NotFoundError or *hostedcluster.NotInstalledError, if
// the cluster is being deleted, or if HyperShift does not manage its etcd.
func Prepare(ctx context.Context, c *kube.Client, o Options) (*Backup, error) {
	hc, err := hostedcluster.Find(ctx, c, o.Namespace, o.Name)
	switch {
	case err != nil:
		return nil, err
	case hc.DeletionTimestamp != nil:
		return nil, fmt.Errorf("HostedCluster %s is being deleted since %s", kube.Name(hc),
			hc.DeletionTimestamp.UTC().Format(time.RFC3339))
	case hc.Spec.Etcd.ManagementType != hyperv1.Managed:
		return nil, fmt.Errorf("HostedCluster %s has an etcd of its own (spec.etcd.managementType %s): back up that one",
			kube.Name(hc), hc.Spec.Etcd.ManagementType)
	}
	keys, err := hostedcluster.ReadEncryption(ctx, c, client.ObjectKeyFromObject(hc))
	return &Backup{options: o, client: c, Cluster: hc, Keys: keys}, err
}

// Steps returns the steps that read the objects, write the archive with the snapshot, and verify it.
func (b *Backup) Steps() []step.Step {
	key := kube.Name(b.Cluster)
	return []step.Step{
		{
			ID: "backup/objects", Title: "objects and keys", Group: "backup",
			Check: func(context.Context, step.Reads) step.Finding {
				if b.objects == nil {
					return step.Missing("not read yet").On("HostedCluster %s", key)
				}
				return step.OK("%s", plural.Count(len(b.objects), "object")).On("HostedCluster %s", key)
			},
			Apply: func(ctx context.Context) (step.Change, error) {
				var err error
				b.objects, err = readObjects(ctx, b.client, b.Cluster, b.Keys)
				return step.Unchanged, err
			},
		},
		{
			ID: "backup/snapshot", Title: "snapshot of etcd", Group: "backup", Needs: []step.ID{"backup/objects"},
			Check: func(context.Context, step.Reads) step.Finding {
				if b.SHA256 == "" {
					return step.Missing("not taken yet").On("HostedCluster %s", key)
				}
				return step.OK("in %s", b.options.Target).On("HostedCluster %s", key)
			},
			Apply: func(ctx context.Context) (step.Change, error) { return step.Created, b.write(ctx) },
		},
		{
			ID: "backup/verified", Title: "the file is whole", Group: "backup", Needs: []step.ID{"backup/snapshot"},
			Check: func(context.Context, step.Reads) step.Finding {
				if !b.verified {
					return step.Missing("not read back yet")
				}
				return step.OK("read back")
			},
			Apply: func(ctx context.Context) (step.Change, error) { return step.Unchanged, b.verify(ctx) },
		},
	}
}

// write writes the archive, and removes it on an error.
func (b *Backup) write(ctx context.Context) error {
	hc := b.Cluster
	plane := hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)
	pod, err := etcdPod(ctx, b.client, plane)
	if err != nil {
		return err
	}
	manifest := archive.Manifest{
		TypeMeta: archive.Type(), Created: time.Now().UTC().Format(time.RFC3339),
		Hcctl: b.options.Hcctl, Server: b.client.Config().Host, Namespace: hc.Namespace, Name: hc.Name,
		ControlPlaneNamespace: plane, Release: hc.Spec.Release.Image, Version: hostedcluster.ReleaseVersion(hc),
		InfraID: hc.Spec.InfraID,
	}
	w, err := archive.Create(ctx, b.options.Target, manifest, b.options.Recipients)
	if err != nil {
		return err
	}
	for _, o := range b.objects {
		if err := w.Object(o); err != nil {
			return errors.Join(err, w.Abort())
		}
	}
	if err := takeSnapshot(ctx, b.client, plane, pod, rand.Text(), w.Snapshot); err != nil {
		return errors.Join(err, w.Abort())
	}
	if err := w.Finish(); err != nil {
		return err
	}
	b.SHA256 = w.SHA256()
	return nil
}

// verify reads the archive again and compares its hash.
func (b *Backup) verify(ctx context.Context) error {
	if len(b.options.Recipients) == 0 || len(b.options.Identities) > 0 {
		content, err := archive.Read(ctx, b.options.Target, b.options.Identities, io.Discard)
		if err != nil {
			return err
		}
		b.Content = content
	}
	file, err := os.Open(b.options.Target)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	whole := sha256.New()
	if _, err := io.Copy(whole, file); err != nil {
		return err
	}
	if sum := hex.EncodeToString(whole.Sum(nil)); sum != b.SHA256 {
		return &archive.Error{Path: b.options.Target, Problem: "is not what was written: the disk returns something else"}
	}
	b.verified = true
	return nil
}
