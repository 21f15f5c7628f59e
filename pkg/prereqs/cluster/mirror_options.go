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

// MirrorOptions configure mirrors of images and operators.
type MirrorOptions struct {
	// Resources is the directory cluster-resources, which oc-mirror writes.
	Resources string
	// Catalogs maps names of CatalogSources to catalog images.
	Catalogs map[string]string
	// Certificates maps registries, as HOST or HOST:PORT, to files of certificates that nodes must trust.
	Certificates map[string]string
	// PullSecret is a file of credentials to add to the cluster's pull secret.
	PullSecret string
}

// Given reports whether any option is set.
func (m MirrorOptions) Given() bool {
	return m.Resources != "" || len(m.Catalogs) > 0 || len(m.Certificates) > 0 || m.PullSecret != ""
}

// Sources reports whether mirror sets or catalogs are requested.
func (m MirrorOptions) Sources() bool { return m.Resources != "" || len(m.Catalogs) > 0 }

// Files returns the files that the options name, by option.
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

// Validate returns an *option.Error about the first wrong catalog or certificate.
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

// mirrorResources are the objects of a directory that hcctl applies, and the names of the others.
type mirrorResources struct {
	catalogs, sets []*unstructured.Unstructured
	left           []string
}

// read reads the directory. Only CatalogSources of the marketplace and mirror sets are applied.
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
