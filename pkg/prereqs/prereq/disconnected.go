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

// Disconnection describes how a cluster gets images and catalogs without their original registries.
type Disconnection struct {
	// CatalogsOff means that all default catalogs are disabled.
	CatalogsOff bool
	// Mirrors maps sources to mirrors. A source is a registry, a repository or the beginning of one, or "*.example.com".
	Mirrors map[string][]string
	// Proxy means that the cluster connects to the internet through a proxy.
	Proxy bool
	// Changed is when a mirror set was last written, according to managed fields.
	Changed time.Time
}

// Disconnected reports whether the default catalogs are disabled: then only mirrored operators can be installed.
func Disconnected(ctx context.Context, r kube.Reader) (bool, error) {
	hub := &configv1.OperatorHub{}
	err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, hub)
	if apierrors.IsNotFound(err) {
		// Without the marketplace there are no default catalogs to disable.
		return false, nil
	}
	return err == nil && catalogsOff(hub), err
}

// catalogsOff evaluates spec.disableAllDefaultSources with the exceptions of spec.sources.
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

// ReadDisconnection reads how a cluster gets images without the registries on the internet. The reads run in parallel.
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

// WrittenLast returns when an object was last written apart from its status, according to its managed fields.
func WrittenLast(o metav1.Object) time.Time {
	last := o.GetCreationTimestamp().Time
	for _, f := range o.GetManagedFields() {
		if f.Time != nil && f.Subresource == "" && f.Time.After(last) {
			last = f.Time.Time
		}
	}
	return last
}

// Mirrored reads only the mirror sets, all three kinds in parallel. Before OpenShift 4.13, ImageContentSourcePolicy is
// the only kind.
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

// MirrorHosts returns the registries that mirror sets name as mirrors.
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

// MirrorsOf returns the mirrors of a repository or registry: those of every source that is equal to it or contains it,
// the most specific source first.
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

// RegistryOf returns the host and optional port of a repository or of a key in a docker config.
func RegistryOf(repository string) string {
	repository = strings.TrimPrefix(strings.TrimPrefix(repository, "https://"), "http://")
	host, _, _ := strings.Cut(repository, "/")
	return host
}

// Hosts returns the registries that mirror the releases, sorted.
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

// ReleaseRepositories returns the repositories of a release: its payload, and the images it names.
func ReleaseRepositories() []string {
	return []string{"quay.io/openshift-release-dev/ocp-release", "quay.io/openshift-release-dev/ocp-v4.0-art-dev"}
}
