package archive

import (
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// checkComplete checks that the archive has all files and that their checksums match.
func (r *reader) checkComplete() error {
	m := r.content.Manifest
	switch {
	case r.sums == nil:
		return r.errorf("is truncated: it has no checksums")
	case r.content.SnapshotSHA256 == "":
		return r.errorf("has no snapshot of etcd")
	case r.content.Object("HostedCluster", m.Namespace, m.Name) == nil:
		return r.errorf("has no HostedCluster")
	case len(r.sums) != len(r.seen):
		return r.errorf("has %d files, and checksums of %d", len(r.seen), len(r.sums))
	}
	for name, sum := range r.seen {
		if r.sums[name] != sum {
			return r.errorf("%q does not match its checksum", name)
		}
	}
	return r.checkContent()
}

// checkContent checks that the HostedCluster matches the manifest, and that it or its NodePools refer to every Secret
// and ConfigMap of its namespace. A restore creates no others there.
func (r *reader) checkContent() error {
	m := r.content.Manifest
	hc := &hyperv1.HostedCluster{}
	if err := decode(r.content.Object("HostedCluster", m.Namespace, m.Name), hc); err != nil {
		return r.errorf("its HostedCluster cannot be read: %v", err)
	}
	if hc.Spec.InfraID != m.InfraID {
		return r.errorf("its HostedCluster has the infraID %q, and the backup is of %q", hc.Spec.InfraID, m.InfraID)
	}
	if hc.Spec.Release.Image != m.Release {
		return r.errorf("its HostedCluster has the release %q, and the backup is of %q", hc.Spec.Release.Image, m.Release)
	}
	refs, err := r.content.references()
	if err != nil {
		return r.errorf("%v", err)
	}
	named := map[string][]string{"Secret": refs.Secrets, "ConfigMap": refs.ConfigMaps}
	for _, o := range r.content.Objects {
		if names, limited := named[o.GetKind()]; limited && o.GetNamespace() == m.Namespace &&
			!slices.Contains(names, o.GetName()) {
			return r.errorf("it has %s %q, which its cluster does not name", o.GetKind(), o.GetName())
		}
	}
	return nil
}

// references returns the references of the HostedCluster and its NodePools.
func (c *Content) references() (References, error) {
	hc := &hyperv1.HostedCluster{}
	if err := decode(c.Object("HostedCluster", c.Manifest.Namespace, c.Manifest.Name), hc); err != nil {
		return References{}, fmt.Errorf("its HostedCluster cannot be read: %w", err)
	}
	var pools []hyperv1.NodePool
	for _, o := range c.Objects {
		if o.GetKind() != "NodePool" {
			continue
		}
		pool := hyperv1.NodePool{}
		if err := decode(o, &pool); err != nil {
			return References{}, fmt.Errorf("its NodePool %q cannot be read: %w", o.GetName(), err)
		}
		pools = append(pools, pool)
	}
	return ReferencesOf(hc, pools)
}

func decode(o *unstructured.Unstructured, into any) error {
	return runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, into)
}
