// Package lvms simulates LVM Storage (lvms-operator with TopoLVM).
package lvms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	lvmsDriver    = "topolvm.io"
	lvmsFinalizer = "lvmcluster.topolvm.io"
	lvmsTopology  = "topology.topolvm.io/node"
	// groupTime is the time to create volume groups after the vg-manager runs on all nodes.
	groupTime = 1500 * time.Millisecond
)

var lvmClusterKind = schema.GroupVersionKind{Group: "lvm.topolvm.io", Version: "v1alpha1", Kind: "LVMCluster"}

// Operator is lvms-operator in its namespace: openshift-storage, or openshift-lvm-storage from 4.20 on. It includes the
// node agents vg-manager and TopoLVM; the status has the volume groups, and the internal kinds LVMVolumeGroup and
// LVMVolumeGroupNodeStatus are left out.
func Operator(namespace string) operator.Operator {
	return operator.Operator{
		Name:       "lvms-operator in " + namespace,
		Deployment: types.NamespacedName{Namespace: namespace, Name: "lvms-operator"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			l := &lvmStorage{framework.NewRun(mgr, env), namespace}
			if err := l.ServeWebhooks(l.webhooks()); err != nil {
				return err
			}
			if framework.AtLeast(l.Profile.Minor(), "4.23") {
				if err := l.ServeMutation(l.defaults()); err != nil {
					return err
				}
			}
			each := l.ToEach(framework.UnstructuredList(lvmClusterKind))
			err := l.NewController("lvmcluster", framework.Unstructured(lvmClusterKind)).
				Watches(&appsv1.DaemonSet{}, each, framework.InNamespaces(namespace)).
				Watches(&corev1.Node{}, each, framework.LabelsChanged()).
				Watches(&corev1.PersistentVolume{}, each).
				Watches(&corev1.PersistentVolumeClaim{}, each).
				Watches(&storagev1.StorageClass{}, each).
				Complete(l.ForExisting(lvmClusterKind, l.reconcile))
			if err != nil {
				return err
			}
			return framework.CSI{Run: l.Run, Name: "topolvm", Provides: func(p string) bool { return p == lvmsDriver },
				Source: setVolumeNode}.Start()
		},
	}
}

type lvmStorage struct {
	*framework.Run
	namespace string
}

// setVolumeNode places a logical volume on the node that the scheduler chose for the claim's first consumer.
func setVolumeNode(_ *storagev1.StorageClass, claim *corev1.PersistentVolumeClaim, spec *corev1.PersistentVolumeSpec) {
	spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: lvmsDriver, VolumeHandle: string(claim.UID)}
	spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{
				Key: lvmsTopology, Operator: corev1.NodeSelectorOpIn,
				Values: []string{claim.Annotations["volume.kubernetes.io/selected-node"]},
			}},
		}}}}
}

// webhooks are those of lvms-operator, which allow one LVMCluster, and look after the devices of its classes. The
// messages are the real ones in part.
func (l *lvmStorage) webhooks() framework.Webhooks {
	return framework.Webhooks{Name: "vlvmcluster.kb.io", Namespace: l.namespace, Rules: []framework.WebhookRule{{
		Name: "vlvmcluster.kb.io", Group: lvmClusterKind.Group, Version: lvmClusterKind.Version, Resource: "lvmclusters",
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
		Review:     l.review,
	}}}
}

// defaults is the webhook of 4.23 and later: a device class that names no disks takes those of its beginning alone.
func (l *lvmStorage) defaults() framework.Mutation {
	return framework.Mutation{Name: "mlvmcluster.kb.io", Namespace: l.namespace,
		Rule: admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule: admissionregistrationv1.Rule{APIGroups: []string{lvmClusterKind.Group},
				APIVersions: []string{lvmClusterKind.Version}, Resources: []string{"lvmclusters"},
				Scope: ptr.To(admissionregistrationv1.NamespacedScope)},
		}, Mutate: func(_ context.Context, req admission.Request) admission.Response {
			o := &unstructured.Unstructured{}
			if err := o.UnmarshalJSON(req.Object.Raw); err != nil {
				return admission.Errored(http.StatusBadRequest, err)
			}
			changed, err := static(o)
			if err != nil {
				return admission.Errored(http.StatusBadRequest, err)
			}
			return admission.PatchResponseFromRaw(req.Object.Raw, changed)
		}}
}

// static writes the policy Static to device classes without paths that have none.
func static(o *unstructured.Unstructured) ([]byte, error) {
	list, _, err := unstructured.NestedSlice(o.Object, "spec", "storage", "deviceClasses")
	if err != nil {
		return nil, err
	}
	for _, item := range list {
		class, ok := item.(map[string]any)
		if _, named := class["deviceSelector"]; ok && !named && class["deviceDiscoveryPolicy"] == nil {
			class["deviceDiscoveryPolicy"] = "Static"
		}
	}
	framework.Set(o, list, "spec", "storage", "deviceClasses")
	return o.MarshalJSON()
}

func (l *lvmStorage) review(ctx context.Context, req admission.Request) error {
	if req.Operation == admissionv1.Create {
		list := framework.UnstructuredList(lvmClusterKind)()
		if err := l.Live.List(ctx, list); err != nil {
			return err
		}
		if len(framework.Items(list)) > 0 {
			return errors.New("duplicate LVMClusters are not allowed, remove the old LVMCluster or work with the existing " +
				"instance")
		}
	}
	classes, err := classesIn(req.Object.Raw)
	if err != nil {
		return err
	}
	if err := validClasses(classes); err != nil || req.Operation == admissionv1.Create {
		return err
	}
	old, err := classesIn(req.OldObject.Raw)
	if err != nil {
		return err
	}
	return validChange(old, classes, l.Profile.Minor())
}

func classesIn(raw []byte) ([]deviceClass, error) {
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(raw); err != nil {
		return nil, err
	}
	return deviceClasses(o)
}

func validClasses(classes []deviceClass) error {
	defaults := 0
	for _, c := range classes {
		if c.Default {
			defaults++
		}
		switch {
		case c.DeviceSelector == nil && len(classes) > 1:
			return errors.New("path list should not be empty when there are multiple deviceClasses")
		case c.DeviceSelector == nil:
			continue
		case len(c.paths()) == 0:
			return errors.New("either paths or optionalPaths must be specified when DeviceSelector is specified")
		}
		for i, p := range c.paths() {
			if !strings.HasPrefix(p, "/dev/") {
				return fmt.Errorf("path %s must be an absolute path to the device", p)
			}
			if slices.Contains(c.paths()[:i], p) {
				return fmt.Errorf("error: device path %s is specified at multiple places in deviceClass %s", p, c.Name)
			}
		}
	}
	if defaults > 1 {
		return fmt.Errorf("only one default deviceClass is allowed. Currently, there are %d default deviceClasses", defaults)
	}
	return nil
}

// validChange has the rules for classes that are there already. Up to 4.20 no path can be taken away.
func validChange(old, classes []deviceClass, release string) error {
	for _, was := range old {
		at := slices.IndexFunc(classes, func(c deviceClass) bool { return c.Name == was.Name })
		if at < 0 {
			continue
		}
		is := classes[at]
		gone := slices.ContainsFunc(was.paths(), func(p string) bool { return !slices.Contains(is.paths(), p) })
		switch {
		case !reflect.DeepEqual(was.NodeSelector, is.NodeSelector):
			return errors.New("NodeSelector can not be changed")
		case len(was.paths()) == 0 && len(is.paths()) > 0:
			return errors.New("device paths can not be added after a device class has been initialized")
		case gone && (len(is.paths()) == 0 || !framework.AtLeast(release, "4.21")):
			return errors.New("devices can not be removed from the LVMCluster once added")
		}
	}
	return nil
}

func (l *lvmStorage) reconcile(ctx context.Context, o *unstructured.Unstructured) (ctrl.Result, error) {
	classes, err := deviceClasses(o)
	if err != nil || o.GetNamespace() != l.namespace {
		return ctrl.Result{}, err
	}
	if o.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, l.uninstall(ctx, o, classes)
	}
	if err := framework.AddFinalizer(ctx, l.Client, o, lvmsFinalizer); err != nil {
		return ctrl.Result{}, err
	}
	if err := l.constraints(ctx); err != nil {
		return ctrl.Result{}, err
	}
	desired, ready, err := l.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: l.namespace, Name: "vg-manager"},
		Pod: func(p *corev1.PodSpec) {
			// The schema already refuses invalid tolerations.
			_, _ = framework.Read(o, &p.Tolerations, "spec", "tolerations")
		},
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := l.classes(ctx, classes); err != nil {
		return ctrl.Result{}, err
	}
	if desired < 0 || ready < desired {
		return ctrl.Result{}, l.updateStatus(ctx, o, nil, []framework.Condition{
			{Type: "ResourcesAvailable", Status: "False", Reason: "ReconciliationInProgress",
				Message: "Reconciliation is still in progress"},
			{Type: "VolumeGroupsReady", Status: "False", Reason: "VGReadinessInProgress",
				Message: "VG readiness check is still in progress"},
		})
	}
	if wait := l.Remaining(groupTime, "groups"+string(o.GetUID())); wait > 0 &&
		framework.Text(o, "status", "state") != "Ready" {
		return framework.RequeueAfter(wait), l.updateStatus(ctx, o, nil, []framework.Condition{
			{Type: "ResourcesAvailable", Status: "True", Reason: "ResourcesAvailable",
				Message: "Reconciliation is complete and all the resources are available"},
			{Type: "VolumeGroupsReady", Status: "False", Reason: "VGReadinessInProgress",
				Message: "VG readiness check is still in progress"},
		})
	}
	groups, err := l.groups(ctx, o, classes)
	if err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, l.updateStatus(ctx, o, groups, []framework.Condition{
		{Type: "ResourcesAvailable", Status: "True", Reason: "ResourcesAvailable",
			Message: "Reconciliation is complete and all the resources are available"}, groups.condition(),
	})
}

// vgManagerConstraints are the SecurityContextConstraints of vg-manager. From 4.15 on the operator looks for another
// name when it is to remove them, so that they stay.
const vgManagerConstraints = "lvms-vgmanager"

var constraintsKind = schema.GroupVersionKind{Group: "security.openshift.io", Version: "v1",
	Kind: "SecurityContextConstraints"}

func (l *lvmStorage) constraints(ctx context.Context) error {
	scc := framework.Unstructured(constraintsKind)
	scc.SetName(vgManagerConstraints)
	scc.Object["users"] = []any{"system:serviceaccount:" + l.namespace + ":vg-manager"}
	return framework.Create(ctx, l.Live, scc)
}

// updateStatus writes the status; state follows from the reasons of the conditions. Releases before 4.17 never write
// conditions.
func (l *lvmStorage) updateStatus(ctx context.Context, o *unstructured.Unstructured, groups groups,
	conds []framework.Condition) error {
	state := map[string]string{
		"ReconciliationInProgress": "Progressing", "VGReadinessInProgress": "Progressing", "VGsReady": "Ready",
		"VGsFailed": "Failed", "VGsDegraded": "Degraded",
	}[conds[len(conds)-1].Reason]
	statuses, err := framework.JSONValue(groups.statuses(l.Profile.Minor()))
	if err != nil {
		return err
	}
	return framework.WriteStatus(ctx, l.Client, o, func(o *unstructured.Unstructured) {
		if framework.AtLeast(l.Profile.Minor(), "4.17") {
			framework.SetConditions(o, framework.Observed, conds...)
		}
		framework.Set(o, state, "status", "state")
		framework.Set(o, state == "Ready", "status", "ready")
		if groups != nil {
			framework.Set(o, statuses, "status", "deviceClassStatuses")
		}
	})
}

// claimed names a claim of one of the classes: from 4.22 on the deletion waits for it, also if it has no volume.
func (l *lvmStorage) claimed(ctx context.Context, classes []deviceClass) (string, error) {
	if !framework.AtLeast(l.Profile.Minor(), "4.22") {
		return "", nil
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := l.Client.List(ctx, claims); err != nil {
		return "", err
	}
	for _, claim := range claims.Items {
		if slices.ContainsFunc(classes, func(c deviceClass) bool {
			return claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == c.className()
		}) {
			return fmt.Sprintf("waiting for the deletion of PersistentVolumeClaim %s/%s", claim.Namespace, claim.Name), nil
		}
	}
	return "", nil
}

// uninstall removes classes and volume groups. Logical volumes block it.
func (l *lvmStorage) uninstall(ctx context.Context, o *unstructured.Unstructured, classes []deviceClass) error {
	volumes := &corev1.PersistentVolumeList{}
	if err := l.Client.List(ctx, volumes); err != nil {
		return err
	}
	for _, v := range volumes.Items {
		if v.Spec.CSI != nil && v.Spec.CSI.Driver == lvmsDriver {
			// the end of the volume triggers a new reconcile
			return l.Warn(ctx, o, "DeletionPending", "waiting for the deletion of LogicalVolume "+v.Name)
		}
	}
	if wait, err := l.claimed(ctx, classes); err != nil || wait != "" {
		return errors.Join(err, l.Warn(ctx, o, "DeletionPending", wait))
	}
	scc := framework.Unstructured(constraintsKind)
	scc.SetName(vgManagerConstraints)
	if !framework.AtLeast(l.Profile.Minor(), "4.15") {
		if err := framework.Remove(ctx, l.Live, scc); err != nil {
			return err
		}
	}
	doomed := []client.Object{&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: l.namespace, Name: "vg-manager"}}}
	for _, c := range classes {
		snapshots := framework.Unstructured(framework.SnapshotClassKind)
		snapshots.SetName(c.className())
		doomed = append(doomed, snapshots, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: c.className()}})
	}
	for _, d := range doomed {
		if err := framework.Remove(ctx, l.Client, d); err != nil {
			return err
		}
	}
	if err := l.UnregisterDrivers(ctx, lvmsDriver); err != nil {
		return err
	}
	if err := l.wipe(ctx); err != nil {
		return err
	}
	return framework.RemoveFinalizer[client.Object](ctx, l.Client, o, lvmsFinalizer)
}
