package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
)

// MirrorOptions are where a user wants images and operators to come from.
type MirrorOptions struct {
	// Resources is a directory with what oc-mirror wrote: cluster-resources.
	Resources string
	// Catalogs are images of catalogs by the names of their CatalogSources.
	Catalogs map[string]string
	// Certificates are files of the certificates that nodes are to trust, by registry, with its port if it has one.
	Certificates map[string]string
	// PullSecret is a file of credentials for the cluster's pull secret.
	PullSecret string
}

// Given reports whether anything is asked for.
func (m MirrorOptions) Given() bool {
	return m.Resources != "" || len(m.Catalogs) > 0 || len(m.Certificates) > 0 || m.PullSecret != ""
}

// Sources reports whether sets of mirrors or catalogs are asked for.
func (m MirrorOptions) Sources() bool { return m.Resources != "" || len(m.Catalogs) > 0 }

// Files are the files that the options name, by the field that names them.
func (m MirrorOptions) Files() map[string]string {
	out := map[string]string{}
	for host, path := range m.Certificates {
		out["mirrors.certificates."+host] = path
	}
	if m.PullSecret != "" {
		out["mirrors.pullSecret"] = m.PullSecret
	}
	return out
}

// Validate returns an *option.Error about the first catalog that cannot work.
func (m MirrorOptions) Validate() error {
	for _, name := range slices.Sorted(maps.Keys(m.Catalogs)) {
		field := "mirrors.catalogs." + name
		if problems := validation.IsDNS1123Subdomain(name); len(problems) > 0 {
			return option.Errorf(field, nil, "it is the name of a CatalogSource: %s", problems[0])
		}
		if !imageref.Valid(m.Catalogs[name]) {
			return option.Errorf(field, m.Catalogs[name], "it is the image of a catalog, such as "+
				"registry.example.com/redhat/redhat-operator-index:v4.20")
		}
	}
	for _, host := range slices.Sorted(maps.Keys(m.Certificates)) {
		field := "mirrors.certificates." + host
		name, port, ported := strings.Cut(host, ":")
		if n, err := strconv.ParseUint(port, 10, 16); len(validation.IsDNS1123Subdomain(name)) > 0 || ported &&
			(err != nil || n == 0) {
			return option.Errorf(field, nil, "it is the name of a registry, with its port if it has one, such as "+
				"registry.example.com:5000")
		}
		if m.Certificates[host] == "" {
			return option.Errorf(field, nil, "it is a file of PEM certificates")
		}
	}
	return nil
}

// mirrorResources are the objects of a directory that hcctl applies, and the names of those that it leaves.
type mirrorResources struct {
	catalogs, sets []*unstructured.Unstructured
	left           []string
}

// read sorts what the directory has. Only CatalogSources of the marketplace and sets of mirrors are applied.
func (m MirrorOptions) read() (mirrorResources, error) {
	var out mirrorResources
	if m.Resources == "" {
		return out, nil
	}
	all, err := manifests.ReadDirectory(m.Resources)
	if err != nil {
		return out, err
	}
	for _, one := range all {
		u := one.DeepCopy()
		unstructured.RemoveNestedField(u.Object, "status")
		unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
		switch u.GroupVersionKind() {
		case kube.CatalogSource.GroupVersionKind:
			if u.GetNamespace() != olm.Marketplace {
				return out, fmt.Errorf("%s: CatalogSource %s has to be in namespace %s", m.Resources, kube.Name(u), olm.Marketplace)
			}
			out.catalogs = append(out.catalogs, u)
		case kube.ImageDigestMirrorSet.GroupVersionKind, kube.ImageTagMirrorSet.GroupVersionKind:
			u.SetNamespace("")
			out.sets = append(out.sets, u)
		default:
			out.left = append(out.left, u.GetKind()+" "+kube.Name(u))
		}
	}
	return out, nil
}
