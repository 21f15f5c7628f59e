// Package mce simulates multicluster-engine: its components, the import of clusters and the hypershift addon.
package mce

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	workv1 "open-cluster-management.io/api/work/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

const (
	// Namespace is the namespace of backplane-operator and its operands.
	Namespace   = "multicluster-engine"
	mceOperator = "multicluster-engine-operator"
	finalizer   = "finalizer.multicluster.openshift.io"
	// chartTime is the time to render and apply the components, hubTime the time until cluster-manager's kinds of
	// open-cluster-management are served (minutes in reality), clusterTime the start time of its webhook after that.
	chartTime   = time.Second
	hubTime     = 2500 * time.Millisecond
	clusterTime = time.Second
	// retry is how soon the operator tries again what failed, at speed 1.
	retry = 10 * time.Second
)

// Kind is the kind MultiClusterEngine.
var Kind = schema.GroupVersionKind{Group: "multicluster.openshift.io", Version: "v1", Kind: "MultiClusterEngine"}

// Operator is backplane-operator with the operands that matter to hosted clusters: cluster-manager, the import of
// clusters, the hypershift addon.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       mceOperator,
		Deployment: types.NamespacedName{Namespace: Namespace, Name: mceOperator},
		Setup: func(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
			l := framework.NewRun(mgr, env)
			m := &engine{Run: l, runCtx: ctx}
			m.hub = &ocm{engine: m}
			if err := m.detectVersion(ctx); err != nil {
				return err
			}
			if err := m.ServeWebhooks(m.webhooks()); err != nil {
				return err
			}
			each := m.ToEach(framework.UnstructuredList(Kind))
			c, err := m.NewController("multiclusterengine", framework.Unstructured(Kind)).
				Watches(&appsv1.Deployment{}, each, framework.InNamespaces(Namespace)).
				Watches(&corev1.Namespace{}, each).
				Build(m.ForExisting(Kind, m.reconcile))
			if err != nil {
				return err
			}
			return m.WhenServed("ocm-crds", func() error {
				if err := c.Watch(source.Kind[client.Object](mgr.GetCache(), &clusterv1.ManagedCluster{}, each)); err != nil {
					return err
				}
				if err := c.Watch(source.Kind[client.Object](mgr.GetCache(), &addonv1.ManagedClusterAddOn{}, each)); err != nil {
					return err
				}
				if err := c.Watch(source.Kind[client.Object](mgr.GetCache(), theClusterManager(), each)); err != nil {
					return err
				}
				return m.startHub()
			}, schema.GroupVersion(clusterv1.GroupVersion).WithKind("ManagedCluster"),
				schema.GroupVersion(addonv1.GroupVersion).WithKind("ManagedClusterAddOn"), clusterManagerKind,
				schema.GroupVersion(workv1.GroupVersion).WithKind("ManifestWork"),
				schema.GroupVersionKind{Group: workv1.GroupName, Version: "v1alpha1", Kind: "ManifestWorkReplicaSet"})
		},
	}
}

type engine struct {
	*framework.Run
	// runCtx ends with this run of the operator.
	runCtx context.Context //nolint:containedctx // for the program that it runs
	// hub is Open Cluster Management's own hub.
	hub     *ocm
	current atomic.Pointer[profile.MCEChannel]
	// imagesBrought: this run has created the ClusterImageSets. Only the engine's single worker uses it.
	imagesBrought bool
}

// detectVersion finds the running version of MCE, which an upgrade changes.
func (m *engine) detectVersion(ctx context.Context) error {
	version, err := m.RunningVersion(ctx, types.NamespacedName{Namespace: Namespace, Name: mceOperator},
		"OPERATOR_VERSION")
	if err != nil {
		return err
	}
	ch, ok := m.Profile.MCEByVersion(version)
	if !ok {
		ch = m.Profile.MCE()
	}
	m.current.Store(&ch)
	return nil
}

// channel returns the channel of the running version.
func (m *engine) channel() profile.MCEChannel { return *m.current.Load() }

func (m *engine) reconcile(ctx context.Context, o *unstructured.Unstructured) (ctrl.Result, error) {
	if err := m.detectVersion(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if o.GetDeletionTimestamp() != nil {
		return m.uninstall(ctx, o)
	}
	if isPaused(o, m.channel().Version) {
		return ctrl.Result{}, m.pause(ctx, o)
	}
	if err := framework.AddFinalizer(ctx, m.Client, o, finalizer); err != nil {
		return ctrl.Result{}, err
	}
	components, err := m.setDefaults(ctx, o)
	if err != nil {
		return ctrl.Result{}, err
	}
	r := &report{ready: true}
	if secret, err := m.pullSecretMissing(ctx, o); err != nil || secret != "" {
		return framework.RequeueAfter(m.Pace.Scale(retry)), errors.Join(err, m.refuse(ctx, o, secret))
	}
	if wait := m.Remaining(chartTime, "chart"+string(o.GetUID())); wait > 0 &&
		framework.Text(o, "status", "phase") != "Available" {
		r.later(wait)
		return framework.RequeueAfter(r.wait), m.updateStatus(ctx, o, r)
	}
	hub, err := m.deployComponents(ctx, components, r)
	if err != nil {
		return ctrl.Result{}, err
	}
	if hub {
		if err := m.hubKinds(ctx, o, components, r); err != nil {
			return ctrl.Result{}, err
		}
	} else {
		r.ready = false
	}
	return framework.RequeueAfter(r.wait), m.updateStatus(ctx, o, r)
}

// hubKinds installs the kinds of open-cluster-management and creates the objects that need them.
func (m *engine) hubKinds(ctx context.Context, o *unstructured.Unstructured, components []Component, r *report) error {
	served, err := m.Served(ctx, "managedclusters.cluster.open-cluster-management.io")
	if err != nil {
		return err
	}
	if wait := m.Remaining(m.Faults.DurationOf(fault.CRDLate, hubTime), "hub"+string(o.GetUID())); wait > 0 && !served {
		r.later(wait)
		return nil
	}
	if err := m.Install(ctx, m.channel().Version, crds.OCM, crds.Hive); err != nil {
		return err
	}
	if wait := m.Remaining(clusterTime, "webhook"+string(o.GetUID())); wait > 0 && !served {
		r.later(wait)
		return nil
	}
	if err := m.applyHub(ctx, r); err != nil {
		return err
	}
	if err := m.imageSets(ctx, components); err != nil {
		return err
	}
	if err := m.localCluster(ctx, o, components, r); err != nil {
		return err
	}
	return m.localHosting(ctx, o, components, r)
}

// setDefaults writes the defaults to the spec and returns the resulting components.
func (m *engine) setDefaults(ctx context.Context, o *unstructured.Unstructured) ([]Component, error) {
	var have []Component
	if _, err := framework.Read(o, &have, "spec", "overrides", "components"); err != nil {
		return nil, err
	}
	want := withDefaults(m.channel(), have)
	value, err := framework.JSONValue(want)
	if err != nil {
		return nil, err
	}
	return want, framework.Change(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, value, "spec", "overrides", "components")
		defaults := map[string]string{"targetNamespace": Namespace, "availabilityConfig": "High"}
		if framework.AtLeast(m.channel().Version, "2.9") {
			defaults["localClusterName"] = "local-cluster"
		}
		for field, value := range defaults {
			if framework.Text(o, "spec", field) == "" {
				framework.Set(o, value, "spec", field)
			}
		}
	})
}

// pullSecretMissing returns the name of the pull secret that the engine wants and that does not exist.
func (m *engine) pullSecretMissing(ctx context.Context, o *unstructured.Unstructured) (string, error) {
	name := framework.Text(o, "spec", "imagePullSecret")
	if name == "" {
		return "", nil
	}
	found, err := framework.Exists(ctx, m.Live,
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: name}})
	if err != nil || found {
		return "", err
	}
	return name, nil
}

// refuse writes that nothing is reconciled without the pull secret. The rest of the status stays as it was.
func (m *engine) refuse(ctx context.Context, o *unstructured.Unstructured, secret string) error {
	if secret == "" {
		return nil
	}
	return framework.WriteStatus(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, "Error", "status", "phase")
		framework.SetConditions(o, framework.Plain, framework.Condition{Type: "Progressing", Status: "False",
			Reason: "RequirementsNotMet", Message: "Could not find imagePullSecret " + secret})
	})
}

// updateStatus writes the status. An engine that was Available becomes Progressing while something is missing.
func (m *engine) updateStatus(ctx context.Context, o *unstructured.Unstructured, r *report) error {
	return framework.WriteStatus(ctx, m.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, m.channel().Version, "status", "desiredVersion")
		framework.Set(o, withTimes(o, r.components), "status", "components")
		dropFailures(o)
		// The messages are made up; types and reasons are backplane-operator's.
		progressing := framework.Condition{Type: "Progressing", Status: "True", Reason: "ComponentsDeployed",
			Message: "All components deployed"}
		available := framework.Condition{Type: "Available", Status: "False", Reason: "ComponentsUnavailable",
			Message: "Not all components available"}
		phase := "Progressing"
		switch {
		case len(r.failures) > 0:
			progressing.Status, progressing.Reason = "Unknown", "FailedDeployingComponent"
			progressing.Message = r.failures[0].Message
			if framework.AtLeast(m.channel().Version, "2.5") {
				phase = "Error"
				framework.SetConditions(o, framework.Plain, r.failures...)
			}
		case r.ready:
			phase = "Available"
			framework.Set(o, m.channel().Version, "status", "currentVersion")
			available = framework.Condition{Type: "Available", Status: "True", Reason: "ComponentsAvailable",
				Message: "All components are available"}
		case len(r.components) == 0:
			progressing.Reason, progressing.Message = "WaitingForResource", "Waiting for the first components"
		}
		framework.Set(o, phase, "status", "phase")
		framework.SetConditions(o, framework.Plain, progressing, available)
	})
}

// dropFailures removes the conditions of earlier passes about objects that could not be applied.
func dropFailures(o *unstructured.Unstructured) {
	old, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	framework.Set(o, slices.DeleteFunc(old, func(c any) bool {
		m, ok := c.(map[string]any)
		kind, _ := m["type"].(string)
		return ok && strings.HasPrefix(kind, "ComponentFailure: ")
	}), "status", "conditions")
}

// withTimes gives each entry the time of its last change.
func withTimes(o *unstructured.Unstructured, entries []any) []any {
	old, _, _ := unstructured.NestedSlice(o.Object, "status", "components")
	now := time.Now().UTC().Format(time.RFC3339)
	out := make([]any, 0, len(entries))
	for _, e := range entries {
		entry, ok := e.(map[string]any)
		if !ok {
			continue
		}
		entry["lastTransitionTime"] = now
		for _, before := range old {
			if b, ok := before.(map[string]any); ok && b["name"] == entry["name"] && b["kind"] == entry["kind"] &&
				b["status"] == entry["status"] {
				entry["lastTransitionTime"] = b["lastTransitionTime"]
			}
		}
		out = append(out, entry)
	}
	return out
}
