package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hostedversions"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/owner"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Mirrors is the prerequisite of this file.
const Mirrors step.ID = "cluster/mirrors"

// mirrors checks that the mirrors of a cluster without the default catalogs have the images that hosted clusters pull.
// It is advisory, because such a cluster may still reach the registries.
//
// If the user gives certificates of registries or mirror sets, they are applied, and the step waits for the nodes.
type mirrors struct {
	o        MirrorOptions
	takeOver prereq.TakeOver
}

func (s mirrors) prerequisite() prereq.Prerequisite {
	p := prereq.Prerequisite{
		ID: Mirrors, Title: "image mirrors", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{
			Check: slices.Concat(prereq.ReadMirrors(), readPools(), []access.Rule{
				{Verbs: "get", Resources: "images.config.openshift.io", Names: "cluster",
					Why: "on a disconnected cluster: which certificates of registries are trusted"},
				readCertificates(),
				{Verbs: "get", Resources: "configmaps", Names: "supported-versions",
					Why: "whether HyperShift's operator is one that reads mirror sets only when it starts"}}),
			Apply: []access.Rule{
				{Verbs: "get create patch", Features: []access.Feature{access.Mirrors},
					Resources: "imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io",
					Why:       "the mirrors that were asked for"},
				{Verbs: "create patch", Resources: "configmaps", At: access.In(configNamespace),
					Features: []access.Feature{access.Certificates},
					Why:      "certificates of registries, into the ConfigMap that Image cluster names, whatever its name"},
				{Verbs: "patch", Resources: "images.config.openshift.io", Names: "cluster",
					Features: []access.Feature{access.Certificates}, Why: "names that ConfigMap where none is named"},
				{Verbs: "patch", Resources: "deployments.apps", Names: "operator", At: access.In("hypershift"),
					Features: []access.Feature{access.Certificates, access.Mirrors},
					Why:      "HyperShift's operator reads certificates and mirrors when it starts"},
			},
			Remove: []access.Rule{
				{Verbs: "get delete", Features: []access.Feature{access.Mirrors},
					Resources: "imagedigestmirrorsets.config.openshift.io imagetagmirrorsets.config.openshift.io",
					Why:       "the mirrors that hcctl wrote"},
				{Verbs: "get", Resources: "images.config.openshift.io", Names: "cluster",
					Why: "which ConfigMap has certificates of registries"},
				{Verbs: "get", Resources: "configmaps", At: access.In(configNamespace),
					Why: "whether it has certificates that hcctl wrote"},
				{Verbs: "patch delete", Resources: "configmaps", At: access.In(configNamespace),
					Features: []access.Feature{access.Certificates}, Why: "the certificates that hcctl wrote"},
				{Verbs: "patch", Resources: "images.config.openshift.io", Names: "cluster",
					Features: []access.Feature{access.Certificates}, Why: "no longer names a ConfigMap, if hcctl named it"},
			},
		},
		Effects:   s.effects(),
		TakesOver: "adds certificates behind those that somebody else has put there for the same registry",
		Remove: []prereq.Removal{
			removal.Object{Kind: kube.ImageDigestMirrorSet}.Removal(removeDigestMirrors, "mirrors by digest", removeCatalogs),
			removal.Object{Kind: kube.ImageTagMirrorSet}.Removal(removeTagMirrors, "mirrors by tag", removeCatalogs),
			{ID: removeCertificates, Title: "certificates of registries",
				Needs: []step.ID{removeDigestMirrors, removeTagMirrors},
				Check: certificatesRemoval{}.check, Apply: certificatesRemoval{}.apply},
		},
	}
	if s.given() {
		// MachineConfigPools are slow: each node drains and restarts, or reloads.
		p.Severity, p.Needs, p.Apply, p.Timeout = step.Required, prereq.Gates(), s.apply, 2*time.Hour
	}
	if s.o.PullSecret != "" {
		p.Needs = append(p.Needs, PullSecret)
	}
	return p
}

// given reports whether there is something to apply.
func (s mirrors) given() bool { return s.o.Resources != "" || len(s.o.Certificates) > 0 }

// effects returns the effects of what is applied, or all effects if that is unknown.
func (s mirrors) effects() []prereq.Effect {
	nodes := prereq.Effect{By: "the machine config operator", Kind: kube.Node, TakenBack: true,
		Does: "it reloads CRI-O on every node, one after another, and drains a node first where mirrors by tag come or any " +
			"mirror goes"}
	image := prereq.Effect{By: owner.Hcctl, Kind: kube.ImageConfig, Name: "cluster",
		Field: []string{"spec", "additionalTrustedCA"}, TakenBack: true,
		Does:   "every node trusts these certificates for pulls from their registries; no node restarts",
		Remove: `oc patch image.config.openshift.io cluster --type=merge -p '{"spec":{"additionalTrustedCA":null}}'`}
	switch {
	case s.o.Resources == "" && s.given():
		return []prereq.Effect{image}
	case len(s.o.Certificates) == 0 && s.given():
		return []prereq.Effect{nodes}
	}
	return []prereq.Effect{image, nodes}
}

func (s mirrors) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	found, err := s.o.read()
	if err != nil {
		return "", err
	}
	change, err := s.applyCertificates(ctx, c)
	if err != nil {
		return change, err
	}
	sets, err := applyAll(ctx, c, found.sets)
	if change = step.Join(change, sets); err != nil || change != step.Unchanged {
		return change, err
	}
	return s.restart(ctx, c)
}

// restartedAnnotation is set on the pods of HyperShift's operator. It holds the time of the change of certificates or
// mirrors for which they were restarted.
const restartedAnnotation = "hcctl.dev/restarted-after"

// restart restarts HyperShift's operator if it is older than the certificates or the mirror sets.
func (s mirrors) restart(ctx context.Context, c *kube.Client) (step.Change, error) {
	d, err := prereq.ReadDisconnection(ctx, c)
	if err != nil {
		return "", err
	}
	_, written := s.trust(ctx, c, d)
	if readBefore(ctx, c, written, d.Changed) == nil {
		return step.Unchanged, nil
	}
	if d.Changed.After(written) {
		written = d.Changed
	}
	operator := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "hypershift", Name: "operator"}}
	return prereq.MergePatch(ctx, c, operator, fmt.Sprintf(
		`{"spec":{"template":{"metadata":{"annotations":{%q:%q}}}}}`, restartedAnnotation,
		written.UTC().Format(time.RFC3339)))
}

// sets returns a finding about given mirror sets that are missing or different, or nodes that do not have them yet, or
// nil. left lists the objects of the directory that hcctl does not apply.
func (s mirrors) sets(ctx context.Context, r kube.Reader) (f *step.Finding, left []string) {
	found, err := s.o.read()
	if err != nil {
		broken := step.Broken("%v", err).On("%s", s.o.Resources)
		return &broken, nil
	}
	var newest time.Time
	for _, u := range found.sets {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(u.GroupVersionKind())
		on := u.GetKind() + " " + u.GetName()
		var one step.Finding
		switch err := r.Get(ctx, types.NamespacedName{Name: u.GetName()}, live); {
		case kube.IsKindMissing(err):
			one = step.Broken("this OpenShift does not know the kind, which comes with 4.13")
		case apierrors.IsNotFound(err):
			one = step.Missing("it does not exist (%s)", s.o.Resources)
		case err != nil:
			one = kube.Unknown(err)
		case !equality.Semantic.DeepEqual(live.Object["spec"], u.Object["spec"]):
			one = step.Missing("it has other mirrors than %s", s.o.Resources)
		default:
			if written := writtenByHcctl(live); written.After(newest) {
				newest = written
			}
			continue
		}
		one = one.On("%s", on)
		return &one, found.left
	}
	if len(found.sets) == 0 {
		return nil, found.left
	}
	return rolledOut(ctx, r, newest), found.left
}

// rolloutGrace is how long the machine config operator may take to start with a change. If it does not start, the
// change does not concern the nodes.
const rolloutGrace = time.Minute

// rolledOut waits until the pools of nodes have a configuration change; nil means they have it. A problem of the nodes
// is Trouble, because hcctl cannot repair it.
func rolledOut(ctx context.Context, r kube.Reader, changed time.Time) *step.Finding {
	f, pools := readConfigPools(ctx, r)
	switch f.State {
	case step.StateOK:
	case step.StateMissing, step.StateBroken:
		f.State = step.StatePending
		f = f.WithTrouble()
		return &f
	default:
		return &f
	}
	begun := len(pools) > 0 && !slices.ContainsFunc(pools, func(pool unstructured.Unstructured) bool {
		updated := kube.FindCondition(kube.Conditions(&pool), "Updated")
		return kube.Number(&pool, "status", "machineCount") > 0 && !updated.LastTransitionTime.After(changed)
	})
	if age := r.Now().Sub(changed); age < rolloutGrace && !begun {
		f = step.Pending("the machine config operator may not have begun with the change yet").On("MachineConfigPools").
			RecheckAfter(rolloutGrace - age)
		return &f
	}
	return nil
}

func (s mirrors) check(ctx context.Context, r kube.Reader) step.Finding {
	if !s.given() {
		return s.state(ctx, r)
	}
	if f := s.certificates(ctx, r); f != nil {
		return *f
	}
	f, left := s.sets(ctx, r)
	if f == nil {
		state := s.state(ctx, r)
		f = &state
	}
	if len(left) > 0 {
		f.Message += fmt.Sprintf("; left in %s, for you to apply: %s", s.o.Resources, plural.Few(left, 5))
	}
	return *f
}

// state reports whether the cluster's mirrors have the images that hosted clusters pull.
func (s mirrors) state(ctx context.Context, r kube.Reader) step.Finding {
	d, err := prereq.ReadDisconnection(ctx, r)
	if err != nil {
		return kube.Unknown(err)
	}
	f := judgeMirrors(d)
	if f.State != step.StateOK || len(d.Mirrors) == 0 {
		return f
	}
	trusted, written := s.trust(ctx, r, d)
	if trusted.State != step.StateOK || len(d.Hosts()) > 0 {
		f = trusted
	}
	if f.State == step.StateOK {
		if old := readBefore(ctx, r, written, d.Changed); old != nil {
			return *old
		}
	}
	return f
}

// mirrorsAtStart is the last minor of OpenShift 4 whose HyperShift operator reads mirror sets only when it starts
// (OCPBUGS-29110).
const mirrorsAtStart = 15

// readBefore returns a finding if HyperShift's operator is older than the certificates or the mirror sets, and so uses
// the former ones. It returns nil if the operator does not run or is newer. It reads certificates when it starts
// (init.go); old versions read mirror sets then too.
func readBefore(ctx context.Context, r kube.Reader, certificates, mirrorSets time.Time) *step.Finding {
	started, found, err := prereq.StartedFirst(ctx, r, "hypershift", "operator")
	if err != nil || !found {
		return nil
	}
	var what string
	switch {
	case certificates.After(started):
		what = "the certificates of registries"
	case mirrorSets.After(started) && newestHosted(ctx, r) <= mirrorsAtStart:
		what = "the mirror sets"
	default:
		return nil
	}
	f := step.Missing("it was started before %s were changed, and reads them only when it starts", what).
		On("Deployment hypershift/operator").WithHint("oc rollout restart deployment/operator -n hypershift")
	return &f
}

// newestHosted returns the minor of the newest OpenShift 4 that HyperShift's operator can install, which is the
// operator's own minor. It returns math.MaxInt if that is unknown.
func newestHosted(ctx context.Context, r kube.Reader) int {
	supported := &corev1.ConfigMap{}
	err := r.Get(ctx, types.NamespacedName{Namespace: "hypershift", Name: "supported-versions"}, supported)
	if err != nil {
		return math.MaxInt
	}
	newest := math.MaxInt
	versions, _ := hostedversions.Parse(supported.Data["supported-versions"])
	for i, v := range versions {
		minor, err := strconv.Atoi(strings.TrimPrefix(v, "4."))
		if err != nil {
			return math.MaxInt
		}
		if i == 0 || minor > newest {
			newest = minor
		}
	}
	return newest
}

func judgeMirrors(d prereq.Disconnection) step.Finding {
	var lacking []string
	for _, repository := range prereq.ReleaseRepositories() {
		if len(d.MirrorsOf(repository)) == 0 {
			lacking = append(lacking, repository)
		}
	}
	switch {
	case len(d.Mirrors) == 0 && !d.CatalogsOff:
		return step.OK("the default catalogs are on, and no registry is mirrored").On("OperatorHub cluster")
	case len(lacking) == 0:
		return step.OK("")
	case !d.CatalogsOff:
		return step.OK("the default catalogs are on; mirrored sources: %d; OpenShift's releases are pulled from quay.io",
			len(d.Mirrors)).On("OperatorHub cluster")
	case len(d.Mirrors) == 0:
		return step.Missing("the default catalogs are off and no registry is mirrored: if the cluster cannot reach " +
			"quay.io and registry.redhat.io, nothing can be pulled").On("OperatorHub cluster").
			WithHint("mirror the releases and operators with oc-mirror and apply the ImageDigestMirrors it writes; where " +
				"the registries can be reached nothing needs to be done")
	}
	return step.Missing("the default catalogs are off and no mirror set has %s, which hosted clusters pull",
		prereq.Listed(lacking)).On("ImageDigestMirrors").
		WithHint("mirror the releases (oc-mirror, platform.channels in its ImageSetConfiguration) and apply the " +
			"ImageDigestMirrorSet it writes")
}

// trust reports which certificates of the mirrors are trusted, and when they were last written.
func (s mirrors) trust(ctx context.Context, r kube.Reader, d prereq.Disconnection) (f step.Finding, written time.Time) {
	hosts := d.Hosts()
	message := fmt.Sprintf("%s have OpenShift's releases; hosted clusters need the same in spec.imageContentSources",
		prereq.Listed(hosts))
	if len(hosts) == 1 {
		message = fmt.Sprintf("%s has OpenShift's releases; hosted clusters need it in spec.imageContentSources", hosts[0])
	}
	if d.Proxy {
		message += "; the cluster uses a proxy, which hosted clusters need in spec.configuration.proxy"
	}
	image := &configv1.Image{}
	switch err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, image); {
	case err != nil && !apierrors.IsNotFound(err):
		return kube.Unknown(err).On("Image cluster"), written
	case image.Spec.AdditionalTrustedCA.Name == "":
		return step.OK("%s; the nodes must trust its certificate already, for spec.additionalTrustedCA is not set", message).
			On("Image cluster"), written
	}
	name := image.Spec.AdditionalTrustedCA.Name
	ca := &corev1.ConfigMap{}
	switch err := r.Get(ctx, types.NamespacedName{Namespace: configNamespace, Name: name}, ca); {
	case apierrors.IsNotFound(err):
		return step.Missing("spec.additionalTrustedCA names ConfigMap openshift-config/%s, which does not exist", name).
			On("Image cluster").
			WithHint("oc create configmap %s -n openshift-config --from-file=%s=CA.crt", sanitize.Word(name),
				sanitize.Word(caKey(append(hosts, "REGISTRY")[0]))), written
	case err != nil:
		return kube.Unknown(err).On("ConfigMap openshift-config/%s", name), written
	}
	written = prereq.WrittenLast(ca)
	for _, host := range hosts {
		if _, ok := ca.Data[caKey(host)]; !ok {
			return step.OK("%s; ConfigMap %s has no certificate for %s, so the nodes must trust it already", message, name,
				host).On("Image cluster"), written
		}
	}
	return step.OK("%s; its certificate is in additionalTrustedCA, and goes into spec.additionalTrustBundle of hosted "+
		"clusters", message).On("Image cluster"), written
}

// caKey returns the key of a registry in the ConfigMap of additionalTrustedCA, which has two dots instead of the colon.
func caKey(host string) string { return strings.ReplaceAll(host, ":", "..") }
