package olm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// catalogGrace is how long after a catalog has become ready its packages may be missing.
const catalogGrace = time.Minute

// wouldInstall describes what apply would install, or why it cannot.
func (i Installer) wouldInstall(ctx context.Context, r kube.Reader) step.Finding {
	o, err := FindOffer(ctx, r, i.op)
	if err != nil {
		if f := i.withoutCatalog(ctx, r); f != nil {
			return *f
		}
	}
	switch {
	case errors.Is(err, errNotOffered), kube.IsKindMissing(err):
		return i.notOffered(ctx, r)
	case asUnfit(err) != nil:
		return step.Broken("in catalog %s: %v", asUnfit(err).catalog, asUnfit(err).reason).
			On("PackageManifest %s", i.op.Package).WithHint("see what is on offer: oc get packagemanifest %s -n %s -o yaml; "+
			"then pin what fits, or mirror it into the catalog", i.op.Package, Marketplace)
	case err != nil:
		return kube.Unknown(err).On("PackageManifest %s", i.op.Package)
	}
	if f := i.tooOldFor(ctx, r, o); f != nil {
		return *f
	}
	namespace := &corev1.Namespace{}
	err = r.Get(ctx, types.NamespacedName{Name: o.Namespace}, namespace)
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return kube.Unknown(err).On("Namespace %s", o.Namespace)
	case err == nil && namespace.DeletionTimestamp != nil:
		return step.Pending("%s", Terminating(namespace)).On("Namespace %s", o.Namespace).
			WithHint("oc get namespace %s -o yaml", o.Namespace).WithTrouble()
	}
	groups, err := operatorGroups(ctx, r, o.Namespace)
	if err != nil {
		return kube.Unknown(err).On("OperatorGroups in %s", o.Namespace)
	}
	if f := judgeGroups(groups, i.op.Title, o.modes); f != nil {
		return *f
	}
	if f := unresolved(ctx, r, o.Namespace); f != nil {
		return *f
	}
	f := step.Missing("%s is not installed (catalog %s offers %s in channel %s)", i.op.Title, o.catalog, o.csv,
		o.channel).On("Namespace %s", o.Namespace).WithHint("%s installs it", hint.Run("bootstrap"))
	if o.manual && !o.pinned {
		f.Message += "; hcctl approves this version, and an administrator all later ones"
	} else if !o.pinned {
		f.Message += fmt.Sprintf("; OLM updates it by itself (%s manual: an administrator approves each update)",
			hint.Flag("approval"))
	}
	if o.deprecated != "" {
		f.Message += "; the catalog calls it deprecated: " + o.deprecated
	}
	return f
}

// tooOldFor returns a finding if the offered version needs a newer Kubernetes: OLM would install it and wait forever.
// The catalog reports this only for the newest version of a channel, so a pinned version is not checked.
func (i Installer) tooOldFor(ctx context.Context, r kube.Reader, o Offer) *step.Finding {
	needed, err := semver.NewVersion(o.minKube)
	if err != nil || o.pinned {
		return nil
	}
	text, err := r.ServerVersion(ctx)
	if err != nil {
		f := kube.Unknown(err).On("API server's version")
		return &f
	}
	server, err := semver.NewVersion(text)
	if err != nil {
		return nil // a version that cannot be read is for OLM to judge
	}
	if server = semver.New(server.Major(), server.Minor(), server.Patch(), "", ""); !server.LessThan(needed) {
		return nil
	}
	f := step.Broken("%s in channel %s of catalog %s needs Kubernetes %s, and this is %s", o.csv, o.channel, o.catalog,
		o.minKube, text).On("PackageManifest %s", i.op.Package).
		WithHint("the catalog is for a newer OpenShift than this one: use the index image of this OpenShift's minor, or " +
			"pin an older version")
	return &f
}

// withoutCatalog returns a finding if the pinned catalog does not exist, else nil.
func (i Installer) withoutCatalog(ctx context.Context, r kube.Reader) *step.Finding {
	wanted := i.op.Pin.CatalogSource
	if wanted == "" {
		return nil
	}
	list := &olmv1alpha1.CatalogSourceList{}
	if err := r.List(ctx, list, client.InNamespace(Marketplace)); err != nil {
		return nil // the earlier error explains more
	}
	var names []string
	for _, catalog := range list.Items {
		if catalog.Name == wanted {
			return nil
		}
		names = append(names, catalog.Name)
	}
	slices.Sort(names)
	f := step.Broken("CatalogSource %s, which package %s is to come from, does not exist in %s; there are: %s", wanted,
		i.op.Package, Marketplace, prereq.Listed(names)).On("CatalogSource %s/%s", Marketplace, wanted).
		WithHint("correct operators.%s.catalogSource, or make it: mirrors.catalogs.%s: IMAGE in the file of %s", i.op.Package,
			sanitize.Word(wanted), hint.Run("bootstrap").Flag("file"))
	return &f
}

// notOffered distinguishes a catalog that is not ready yet from one that lacks the package.
func (i Installer) notOffered(ctx context.Context, r kube.Reader) step.Finding {
	list := &olmv1alpha1.CatalogSourceList{}
	if err := r.List(ctx, list, client.InNamespace(Marketplace)); err != nil {
		return kube.Unknown(err).On("CatalogSources in %s", Marketplace)
	}
	var names []string
	for _, catalog := range i.likely(list.Items) {
		names = append(names, catalog.Name)
		if f := NotServing(ctx, r, &catalog); f != nil {
			f.Message = fmt.Sprintf("package %s is not on offer: %s", i.op.Package, f.Message)
			return f.WithTrouble()
		}
		if r.Now().Sub(catalog.Status.GRPCConnectionState.LastConnectTime.Time) < catalogGrace {
			return step.Pending("package %s is not on offer yet; catalog %s has just become ready", i.op.Package, catalog.Name).
				On("CatalogSource %s", kube.Name(&catalog)).RecheckAfter(5 * time.Second)
		}
	}
	return i.absent(ctx, r, names)
}

// NotServing returns a finding about a catalog that does not answer OLM, with the problem of its pod, or nil if it
// answers.
func NotServing(ctx context.Context, r kube.Reader, catalog *olmv1alpha1.CatalogSource) *step.Finding {
	observed := ""
	if state := catalog.Status.GRPCConnectionState; state != nil {
		observed = state.LastObservedState
	}
	if observed == "READY" {
		return nil
	}
	f := step.Pending("the catalog is %s", cmp.Or(observed, "not connected yet")).
		On("CatalogSource %s", kube.Name(catalog)).
		WithHint("oc get pods -n %s -l olm.catalogSource=%s", catalog.Namespace, catalog.Name)
	f.Trouble = observed != ""
	pods := &corev1.PodList{}
	if r.List(ctx, pods, client.InNamespace(catalog.Namespace),
		client.MatchingLabels{"olm.catalogSource": catalog.Name}) != nil {
		return &f
	}
	for i := range pods.Items {
		if v := health.Of(&pods.Items[i], r.Now()); v.Trouble && pods.Items[i].DeletionTimestamp == nil {
			f = prereq.Explained(f, &v.Finding)
			break
		}
	}
	return &f
}

// likely returns the catalogs that may have the package, by name: the pinned one, or Red Hat's and mirrors of it (for
// community packages the community's), or else all.
func (i Installer) likely(all []olmv1alpha1.CatalogSource) []olmv1alpha1.CatalogSource {
	index := "redhat-operator"
	if i.op.community {
		index = "community-operator"
	}
	var likely []olmv1alpha1.CatalogSource
	for _, catalog := range all {
		if i.op.Pin.CatalogSource == catalog.Name || i.op.Pin.CatalogSource == "" && strings.Contains(catalog.Name, index) {
			likely = append(likely, catalog)
		}
	}
	if len(likely) == 0 {
		return all
	}
	return likely
}

// absent returns the finding that no catalog has the package, and where to get it.
func (i Installer) absent(ctx context.Context, r kube.Reader, catalogs []string) step.Finding {
	version, err := prereq.OpenShift(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("ClusterVersion version")
	}
	index := "redhat-operator-index"
	if i.op.community {
		index = "community-operator-index"
	}
	channel := "stable"
	if i.op.wants != nil {
		channel = i.op.wants(version)
	}
	channel = cmp.Or(i.op.Pin.Channel, channel)
	off, err := prereq.Disconnected(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("OperatorHub cluster")
	}
	return judgeAbsent(i.op.Package, channel, fmt.Sprintf("registry.redhat.io/redhat/%s:v%d.%d", index, version.Major(),
		version.Minor()), catalogs, off)
}

// judgeAbsent returns the finding about a missing package. off means that the default catalogs are disabled, so that it
// has to be mirrored.
func judgeAbsent(pkg, channel, index string, catalogs []string, off bool) step.Finding {
	f := step.Broken("no catalog offers package %s (catalogs in %s: %s)", pkg, Marketplace, prereq.Listed(catalogs)).
		On("Package %s", pkg)
	if off {
		return f.WithHint("the default catalogs are off: mirror package %s, channel %s, from %s (oc-mirror: "+
			"mirror.operators[].packages in its ImageSetConfiguration), and apply the CatalogSource it writes", pkg, channel,
			index)
	}
	return f.WithHint("package %s, channel %s, is in %s: see why the catalog of that index does not have it, oc get "+
		"catalogsource,pods -n %s", pkg, channel, index, Marketplace)
}
