package sites

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
)

// patchesDirectory has the fields that bootstrap --render sets on objects with other owners.
const patchesDirectory = "patches"

// Object is one object to deliver to sites.
type Object struct {
	*unstructured.Unstructured
	// Part is set if it has only some fields of an object with another owner.
	Part bool
}

func (o Object) String() string { return o.GetKind() + " " + kube.Name(o.Unstructured) }

// maxFileBytes limits a file of manifests: a larger one does not fit into a ManifestWork anyway.
const maxFileBytes = 1 << 20

// files returns the files of a directory that hcctl bootstrap --render has written, without kustomization.yaml
// and the patches.
func files(dir string) ([]manifests.File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []manifests.File
	tree := safefile.Tree{Directories: []string{dir}}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" || e.Name() == "kustomization.yaml" {
			continue
		}
		data, err := tree.Read(filepath.Join(dir, e.Name()), maxFileBytes)
		if err != nil {
			return nil, err
		}
		all = append(all, manifests.File{Name: e.Name(), Data: data})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no manifests: %s writes such a directory", dir, hint.Run("bootstrap").Flag("render"))
	}
	return all, nil
}

// Read reads a directory with the layout of hcctl bootstrap --render: its manifests, and those in patches. It
// refuses Secrets, because every reader of ManifestWorks could read them.
func Read(dir string) ([]Object, error) {
	found, err := files(dir)
	if err != nil {
		return nil, err
	}
	list, err := manifests.Parse(found...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var all []Object
	for _, m := range list {
		all = append(all, Object{Unstructured: m.Unstructured})
	}
	patches := filepath.Join(dir, patchesDirectory)
	parts, err := manifests.ReadDirectory(patches)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", patches, err)
	}
	for _, m := range parts {
		all = append(all, Object{Unstructured: m.Unstructured, Part: true})
	}
	for _, o := range all {
		if o.GroupVersionKind().GroupKind() == (schema.GroupKind{Kind: "Secret"}) {
			return nil, fmt.Errorf("%s: %s has no place in a ManifestWork: bring it to the sites by other means", dir, o)
		}
	}
	return all, nil
}

// ownKinds returns the kinds that depend on the site: its addresses and its disks.
func ownKinds() []schema.GroupKind {
	var all []schema.GroupKind
	for _, k := range []kube.Kind{kube.IPAddressPool, kube.L2Advertisement, kube.BGPAdvertisement, kube.BGPPeer,
		kube.LocalVolume, kube.LocalVolumeSet, kube.StorageCluster, kube.StorageSystem, kube.LVMCluster} {
		all = append(all, k.GroupKind())
	}
	return append(all, schema.GroupKind{Kind: "Node"})
}

// Split separates the objects for every site from those that depend on the site.
func Split(all []Object) (alike, own []Object) {
	for _, o := range all {
		if slices.Contains(ownKinds(), o.GroupVersionKind().GroupKind()) {
			own = append(own, o)
		} else {
			alike = append(alike, o)
		}
	}
	return alike, own
}
