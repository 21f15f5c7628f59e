package archive

import (
	"fmt"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/step"
)

// Type returns the format's version and kind.
func Type() step.TypeMeta { return step.NewTypeMeta("HostedClusterBackup") }

// Names of the files in an archive.
const (
	manifestFile = "manifest.json"
	objectsDir   = "objects"
	snapshotFile = "etcd-snapshot.db"
	checksumFile = "checksums.json"
)

// Limits of an archive, in bytes or objects. A snapshot is at most as large as the quota of etcd, which HyperShift sets
// to 8 GiB.
const (
	MaxSnapshot = 8<<30 + 1<<20
	maxObject   = 3 << 20
	maxObjects  = 1000
	// maxAll limits the total size of all files but the snapshot: in memory they take twenty times as much.
	maxAll  = 16 << 20
	maxText = 1 << 20
)

// Manifest describes the source and the time of a backup.
type Manifest struct {
	step.TypeMeta
	// Created is the time of the backup in RFC 3339.
	Created string `json:"created"`
	// Hcctl is the version of hcctl that wrote the archive. Server is the API server of the management cluster.
	Hcctl  string `json:"hcctl"`
	Server string `json:"server"`
	// Namespace and Name are the namespace and name of the HostedCluster.
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// ControlPlaneNamespace is the namespace of its control plane.
	ControlPlaneNamespace string `json:"controlPlaneNamespace"`
	// Release is the release image in the HostedCluster's spec. Version is the last version that was rolled out.
	Release string `json:"release"`
	Version string `json:"version"`
	InfraID string `json:"infraID"`
}

// Content is the content of a whole archive after all checks.
type Content struct {
	Manifest  Manifest
	Encrypted bool
	Objects   []*unstructured.Unstructured
	// SnapshotBytes and SnapshotSHA256 are the size and the hash of the file etcd-snapshot.db.
	SnapshotBytes  int64
	SnapshotSHA256 string
	// Bytes is the size of the archive file.
	Bytes int64
}

// Object returns an object of the archive, or nil.
func (c *Content) Object(kind, namespace, name string) *unstructured.Unstructured {
	for _, o := range c.Objects {
		if o.GetKind() == kind && o.GetNamespace() == namespace && o.GetName() == name {
			return o
		}
	}
	return nil
}

// versions maps the kinds that an archive may have to their API versions.
var versions = map[string]string{
	"HostedCluster": "hypershift.openshift.io/v1beta1", "NodePool": "hypershift.openshift.io/v1beta1",
	"Secret": "v1", "ConfigMap": "v1",
}

// Error means that an archive cannot be used.
type Error struct{ Path, Problem string }

func (e *Error) Error() string { return e.Path + ": " + e.Problem }

// Hint advises to use another copy.
func (*Error) Hint() hint.Text {
	return hint.New("use another copy of the backup: nothing of this one was used")
}

// objectName returns the file name of an object in the archive.
func objectName(o *unstructured.Unstructured) string {
	return path.Join(objectsDir, o.GetNamespace(), o.GetKind(), o.GetName()+".json")
}

// checkObject returns an error for an object that backup would not write.
func (m *Manifest) checkObject(o *unstructured.Unstructured) error {
	kind := o.GetKind()
	in := []string{m.Namespace}
	if kind == "Secret" {
		in = append(in, m.ControlPlaneNamespace)
	}
	switch {
	case versions[kind] == "" || versions[kind] != o.GetAPIVersion():
		return fmt.Errorf("it has an object of kind %q %q, which no backup has", o.GetAPIVersion(), kind)
	case !slices.Contains(in, o.GetNamespace()):
		return fmt.Errorf("it has %s %q in namespace %q, which is none of the cluster's", kind, o.GetName(), o.GetNamespace())
	case kind == "HostedCluster" && o.GetName() != m.Name:
		return fmt.Errorf("it has HostedCluster %q beside %q", o.GetName(), m.Name)
	case kind == "Secret" && !slices.Contains(hostedcluster.SecretTypes(), textAt(o, "type")):
		return fmt.Errorf("it has Secret %q of type %q, which no backup has", o.GetName(), textAt(o, "type"))
	case o.GetNamespace() == m.ControlPlaneNamespace && !slices.Contains(hostedcluster.ControlPlaneKeys(), o.GetName()):
		return fmt.Errorf("it has Secret %q of the control plane, which no backup has", o.GetName())
	}
	if of := textAt(o, "spec", "clusterName"); kind == "NodePool" && of != m.Name {
		return fmt.Errorf("it has NodePool %q of cluster %q", o.GetName(), of)
	}
	metadata, _ := o.Object["metadata"].(map[string]any)
	for field := range metadata {
		if !slices.Contains([]string{"name", "namespace", "labels", "annotations"}, field) {
			return fmt.Errorf("%s %q has metadata.%s, which no backup has", kind, o.GetName(), field)
		}
	}
	return nil
}

func textAt(o *unstructured.Unstructured, path ...string) string {
	text, _, err := unstructured.NestedString(o.Object, path...)
	if err != nil {
		return "?" // no string, which is no valid value either
	}
	return text
}
