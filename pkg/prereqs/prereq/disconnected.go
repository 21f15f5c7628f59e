package prereq

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Disconnection is how a cluster gets its images and catalogs if not from where they come from.
type Disconnection struct {
	// CatalogsOff means none of the default catalogs is on.
	CatalogsOff bool
	// Mirrors are the places that stand for a source, by source: a registry, a repository or the beginning of one, or
	// "*.example.com".
	Mirrors map[string][]string
	// Proxy means the cluster reaches out through a proxy.
	Proxy bool
	// Changed is when a mirror set was last written, as far as it says.
	Changed time.Time
}

// Disconnected reports whether the cluster's default catalogs are off: what it can install is what was mirrored.
func Disconnected(ctx context.Context, r kube.Reader) (bool, error) {
	hub := &configv1.OperatorHub{}
	err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, hub)
	if apierrors.IsNotFound(err) {
		// A cluster without the marketplace has no default catalogs to be off.
		return false, nil
	}
	return err == nil && catalogsOff(hub), err
}

// CatalogsOff reads spec.disableAllDefaultSources, from which spec.sources makes exceptions.
func catalogsOff(hub *configv1.OperatorHub) bool {
	if !hub.Spec.DisableAllDefaultSources {
		return false
	}
	for _, s := range hub.Spec.Sources {
		if !s.Disabled {
			return false
		}
	}
	return true
}

// ReadDisconnection reads from where a cluster gets images in place of the registries on the internet. It asks for all
// of it at once.
func ReadDisconnection(ctx context.Context, r kube.Reader) (Disconnection, error) {
	var d, mirrored Disconnection
	proxy := &configv1.Proxy{}
	err := kube.Together(
		func() (err error) { d.CatalogsOff, err = Disconnected(ctx, r); return err },
		func() (err error) { mirrored, err = Mirrored(ctx, r); return err },
		func() error {
			err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, proxy)
			if apierrors.IsNotFound(err) {
				return nil
			}
			return err
		},
	)
	if err != nil {
		return Disconnection{}, err
	}
	d.Mirrors, d.Changed = mirrored.Mirrors, mirrored.Changed
	d.Proxy = proxy.Status.HTTPSProxy != "" || proxy.Status.HTTPProxy != ""
	return d, nil
}

// WrittenLast is when somebody last wrote an object, apart from its status: as far as its managed fields say.
func WrittenLast(o metav1.Object) time.Time {
	last := o.GetCreationTimestamp().Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Subresource == "" && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}

// Mirrored reads the mirror sets alone, all three kinds at once: ImageContentSourcePolicy is the only one before
// OpenShift 4.13.
func Mirrored(ctx context.Context, r kube.Reader) (Disconnection, error) {
	byDigest, byTag := &configv1.ImageDigestMirrorSetList{}, &configv1.ImageTagMirrorSetList{}
	policies := kube.ImageContentSourcePolicy.NewList()
	list := func(into client.ObjectList) func() error {
		return func() error {
			if err := r.List(ctx, into); !kube.IsKindMissing(err) {
				return err
			}
			return nil
		}
	}
	if err := kube.Together(list(byDigest), list(byTag), list(policies)); err != nil {
		return Disconnection{}, err
	}
	var last time.Time
	out := map[string][]string{}
	written := func(o metav1.Object) {
		if t := WrittenLast(o); t.After(last) {
			last = t
		}
	}
	for _, set := range byDigest.Items {
		written(&set)
		for _, m := range set.Spec.ImageDigestMirrors {
			for _, mirror := range m.Mirrors {
				out[m.Source] = append(out[m.Source], string(mirror))
			}
		}
	}
	for _, set := range byTag.Items {
		written(&set)
		for _, m := range set.Spec.ImageTagMirrors {
			for _, mirror := range m.Mirrors {
				out[m.Source] = append(out[m.Source], string(mirror))
			}
		}
	}
	for i := range policies.Items {
		written(&policies.Items[i])
		for _, m := range kube.Maps(&policies.Items[i], "spec", "repositoryDigestMirrors") {
			list, _ := m["mirrors"].([]any)
			for _, mirror := range list {
				if s, ok := mirror.(string); ok {
					out[Text(m, "source")] = append(out[Text(m, "source")], s)
				}
			}
		}
	}
	return Disconnection{Mirrors: out, Changed: last}, nil
}

// MirrorHosts are the registries that mirror sets name as mirrors.
func MirrorHosts(ctx context.Context, r kube.Reader) ([]string, error) {
	all, err := Mirrored(ctx, r)
	var out []string
	for _, mirrors := range all.Mirrors {
		for _, mirror := range mirrors {
			out = append(out, RegistryOf(mirror))
		}
	}
	return out, err
}

// MirrorsOf are the mirrors of a repository or registry: those of every source that is it, or that it is within, a
// source before the sources that it is within.
func (d Disconnection) MirrorsOf(repository string) []string {
	var out []string
	for _, source := range slices.Backward(slices.Sorted(maps.Keys(d.Mirrors))) {
		domain, wildcard := strings.CutPrefix(source, "*")
		if repository == source || strings.HasPrefix(repository, source+"/") || wildcard &&
			strings.HasSuffix(RegistryOf(repository), domain) {
			out = append(out, d.Mirrors[source]...)
		}
	}
	return out
}

// RegistryOf is the host, and the port if any, of a repository or of a key in a docker config.
func RegistryOf(repository string) string {
	repository = strings.TrimPrefix(strings.TrimPrefix(repository, "https://"), "http://")
	host, _, _ := strings.Cut(repository, "/")
	return host
}

// Hosts are the registries that have the releases, sorted.
func (d Disconnection) Hosts() []string {
	var out []string
	for _, repository := range ReleaseRepositories() {
		for _, m := range d.MirrorsOf(repository) {
			out = append(out, RegistryOf(m))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ReleaseRepositories are what a release is made of: its payload, and the images it names.
func ReleaseRepositories() []string {
	return []string{"quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}
}
