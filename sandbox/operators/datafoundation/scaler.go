package datafoundation

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	odfOperatorName = "odf-operator-controller-manager"
	odfPackage      = "odf-operator"
	depsPackage     = "odf-dependencies"
	csvWebhookName  = "csv.odf.openshift.io"
	// webhookServiceName leads to the real webhook; the sandbox's answers on loopback.
	webhookServiceName = "odf-operator-webhook-server-service"
	odfOperatorLabel   = "odf.openshift.io/odf-operator"
	copiedLabel        = "olm.copiedFrom"
)

// odf is odf-operator from 4.19 on: it subscribes to the operators that do the work, and sees to it that they have no
// pods until there is work.
type odf struct {
	*dataFoundation
	// registered is set once the API server asks the webhook.
	registered atomic.Bool
}

// Scaler is what odf-operator does from 4.19 on. Up to 4.18 its part is StorageSystem (csi.go).
func Scaler() operator.Operator {
	return operator.Operator{
		Name:       odfPackage,
		Deployment: types.NamespacedName{Namespace: storageNamespace, Name: odfOperatorName},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			o := &odf{dataFoundation: &dataFoundation{framework.NewRun(mgr, env)}}
			if !o.hasClients() {
				return nil
			}
			if err := o.serve(); err != nil {
				return err
			}
			once := framework.ToObject(storageNamespace, odfOperatorName)
			subscriptions := o.NewController("subscriptions", &operatorsv1alpha1.Subscription{},
				builder.WithPredicates(predicate.NewPredicateFuncs(func(s client.Object) bool {
					return s.GetNamespace() == storageNamespace
				}))).
				Watches(&operatorsv1alpha1.ClusterServiceVersion{}, once, framework.InNamespaces(storageNamespace)).
				Watches(&operatorsv1alpha1.InstallPlan{}, once, framework.InNamespaces(storageNamespace)).
				Watches(&appsv1.Deployment{}, once, framework.InNamespaces(storageNamespace))
			if err := subscriptions.Complete(reconcile.Func(o.subscribe)); err != nil {
				return err
			}
			for kind, trigger := range map[string]schema.GroupVersionKind{"storagecluster": storageClusterKind,
				"cephcluster": cephClusterKind, "storageclient": storageClientKind} {
				err := o.WhenServed(kind+"-crd", func() error {
					return o.NewController(kind+"-scaler", framework.Unstructured(trigger)).
						Complete(reconcile.Func(o.scale))
				}, trigger)
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// serve serves the webhook that takes the pods of new versions away.
func (o *odf) serve() error {
	absent := func(key string) metav1.LabelSelectorRequirement {
		return metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpDoesNotExist}
	}
	return o.ServeMutation(framework.Mutation{
		Name: csvWebhookName, Namespace: storageNamespace,
		Rule: admissionregistrationv1.RuleWithOperations{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule: admissionregistrationv1.Rule{APIGroups: []string{operatorsv1alpha1.GroupName},
				APIVersions: []string{operatorsv1alpha1.GroupVersion}, Resources: []string{"clusterserviceversions"},
				Scope: ptr.To(admissionregistrationv1.NamespacedScope)},
		},
		Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
			absent(copiedLabel), absent(odfOperatorLabel)}},
		Mutate:     o.scaleDown,
		Registered: func() { o.registered.Store(true) },
	})
}

// scaleDown takes the pods of a new version of the operators in the ConfigMap away, unless it replaces one that has
// pods.
func (o *odf) scaleDown(ctx context.Context, req admission.Request) admission.Response {
	csv := &operatorsv1alpha1.ClusterServiceVersion{}
	if err := json.Unmarshal(req.Object.Raw, csv); err != nil {
		return admission.Errored(http.StatusBadRequest, err)
	}
	records, err := o.records(ctx)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, fmt.Errorf("failed to build config: %w", err))
	}
	known := false
	for _, r := range records {
		known = known || r.CSV == csv.Name
	}
	if !known {
		return admission.Allowed("csv is not managed by ODF")
	}
	if csv.Spec.Replaces != "" {
		before := &operatorsv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace,
			Name: csv.Spec.Replaces}}
		if _, err := framework.Exists(ctx, o.Live, before); err != nil {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		if scaledUp(before) {
			return admission.Allowed("previous csv deployments are running")
		}
	}
	specs := csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
	for i := range specs {
		specs[i].Spec.Replicas = ptr.To[int32](0)
	}
	changed, err := json.Marshal(csv)
	if err != nil {
		return admission.Errored(http.StatusInternalServerError, err)
	}
	return admission.PatchResponseFromRaw(req.Object.Raw, changed)
}

// scaledUp reports whether a version has Deployments with pods.
func scaledUp(csv *operatorsv1alpha1.ClusterServiceVersion) bool {
	for _, d := range csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		if ptr.Deref(d.Spec.Replicas, 1) > 0 {
			return true
		}
	}
	return false
}

// records are those of the ConfigMap in the bundle of the odf-operator that runs.
func (o *odf) records(ctx context.Context) ([]catalog.PackageRecord, error) {
	name, err := o.RunningVersion(ctx, types.NamespacedName{Namespace: storageNamespace, Name: odfOperatorName},
		catalog.PackagesConfigEnv)
	if err != nil {
		return nil, err
	}
	config := &corev1.ConfigMap{}
	if err := o.Live.Get(ctx, client.ObjectKey{Namespace: storageNamespace, Name: name}, config); err != nil {
		return nil, err
	}
	var out []catalog.PackageRecord
	for key, raw := range config.Data {
		var r catalog.PackageRecord
		if err := yaml.Unmarshal([]byte(raw), &r); err != nil {
			return nil, fmt.Errorf("ConfigMap %s, %s: %w", name, key, err)
		}
		out = append(out, r)
	}
	return out, nil
}

// subscribe subscribes to the dependencies, from odf-operator's own catalog, approves their InstallPlans, and makes
// Subscription and versions go with odf-operator's Subscription.
func (o *odf) subscribe(ctx context.Context, _ reconcile.Request) (ctrl.Result, error) {
	if !o.registered.Load() {
		return framework.RequeueAfter(o.Pace.Scale(clientTime)), nil
	}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: storageNamespace, Name: webhookServiceName}}
	service.Spec.Ports = []corev1.ServicePort{{Name: "https", Port: 443}}
	service.Spec.Selector = map[string]string{"app.kubernetes.io/name": odfPackage}
	if found, err := framework.Exists(ctx, o.Client, service.DeepCopy()); err != nil {
		return ctrl.Result{}, err
	} else if !found {
		if err := framework.Create(ctx, o.Client, service); err != nil {
			return ctrl.Result{}, err
		}
	}
	subscriptions := &operatorsv1alpha1.SubscriptionList{}
	if err := o.Client.List(ctx, subscriptions, framework.InNamespace(storageNamespace)); err != nil {
		return ctrl.Result{}, err
	}
	byPackage := map[string]*operatorsv1alpha1.Subscription{}
	for i := range subscriptions.Items {
		if spec := subscriptions.Items[i].Spec; spec != nil {
			byPackage[spec.Package] = &subscriptions.Items[i]
		}
	}
	own := byPackage[odfPackage]
	if own == nil || own.DeletionTimestamp != nil {
		return ctrl.Result{}, nil
	}
	records, err := o.records(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	for _, r := range records {
		if err := o.ensure(ctx, own, byPackage[r.Package], r); err != nil {
			return ctrl.Result{}, err
		}
	}
	return o.scale(ctx, reconcile.Request{})
}

// ensure brings the Subscription and the version of one record about.
func (o *odf) ensure(ctx context.Context, own, sub *operatorsv1alpha1.Subscription, r catalog.PackageRecord) error {
	owner := *metav1.NewControllerRef(own, operatorsv1alpha1.SchemeGroupVersion.WithKind(
		operatorsv1alpha1.SubscriptionKind))
	switch {
	case sub != nil:
		if err := framework.Change(ctx, o.Client, sub, func(s *operatorsv1alpha1.Subscription) {
			s.Spec.Channel = r.Channel
			s.OwnerReferences = []metav1.OwnerReference{owner}
		}); err != nil {
			return err
		}
	case r.Package == depsPackage:
		return framework.Create(ctx, o.Client, &operatorsv1alpha1.Subscription{
			ObjectMeta: metav1.ObjectMeta{Namespace: storageNamespace, Name: r.Package,
				OwnerReferences: []metav1.OwnerReference{owner}},
			Spec: &operatorsv1alpha1.SubscriptionSpec{Package: r.Package, Channel: r.Channel, StartingCSV: r.CSV,
				CatalogSource: own.Spec.CatalogSource, CatalogSourceNamespace: own.Spec.CatalogSourceNamespace},
		})
	default:
		return nil // OLM makes it, because the dependencies require the package
	}
	csv, err := o.version(ctx, r)
	if err != nil {
		return err
	}
	if csv.UID == "" {
		return o.approve(ctx, r.CSV)
	}
	return framework.Change(ctx, o.Client, csv, func(c *operatorsv1alpha1.ClusterServiceVersion) {
		c.OwnerReferences = []metav1.OwnerReference{owner}
	})
}

// approve approves the InstallPlan that has a version.
func (o *odf) approve(ctx context.Context, csv string) error {
	plans := &operatorsv1alpha1.InstallPlanList{}
	if err := o.Client.List(ctx, plans, framework.InNamespace(storageNamespace)); err != nil {
		return err
	}
	for i := range plans.Items {
		p := &plans.Items[i]
		if p.Status.Phase != operatorsv1alpha1.InstallPlanPhaseRequiresApproval ||
			!strings.Contains(" "+strings.Join(p.Spec.ClusterServiceVersionNames, " ")+" ", " "+csv+" ") {
			continue
		}
		if err := framework.Change(ctx, o.Client, p, func(p *operatorsv1alpha1.InstallPlan) {
			p.Spec.Approved = true
		}); err != nil {
			return err
		}
	}
	return nil
}

// scale gives the operators pods whose work exists, in their ClusterServiceVersions: OLM writes the Deployments. It
// takes none away again.
func (o *odf) scale(ctx context.Context, _ reconcile.Request) (ctrl.Result, error) {
	records, err := o.records(ctx)
	if err != nil {
		return ctrl.Result{}, err
	}
	for _, r := range records {
		csv, err := o.version(ctx, r)
		if err != nil {
			return ctrl.Result{}, err
		}
		if r.Package == depsPackage && csv.Status.Phase != operatorsv1alpha1.CSVPhaseSucceeded {
			return ctrl.Result{}, nil // its event comes
		}
	}
	for _, r := range records {
		csv, err := o.version(ctx, r)
		if err != nil {
			return ctrl.Result{}, err
		}
		wanted, err := o.anyOf(ctx, r.ScaleUpOnInstanceOf)
		if err != nil {
			return ctrl.Result{}, err
		}
		if !wanted || csv.UID == "" {
			continue
		}
		if err := framework.Change(ctx, o.Live, csv, func(csv *operatorsv1alpha1.ClusterServiceVersion) {
			specs := csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
			for i := range specs {
				specs[i].Spec.Replicas = ptr.To(max(1, ptr.Deref(specs[i].Spec.Replicas, 1)))
			}
		}); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

// version reads the ClusterServiceVersion of a record; without UID if it does not exist.
func (o *odf) version(ctx context.Context, r catalog.PackageRecord) (*operatorsv1alpha1.ClusterServiceVersion, error) {
	csv := &operatorsv1alpha1.ClusterServiceVersion{ObjectMeta: metav1.ObjectMeta{Namespace: storageNamespace,
		Name: r.CSV}}
	_, err := framework.Exists(ctx, o.Live, csv)
	return csv, err
}

// anyOf reports whether one of the CRDs has an object.
func (o *odf) anyOf(ctx context.Context, crds []string) (bool, error) {
	for _, name := range crds {
		crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if found, err := framework.Exists(ctx, o.Live, crd); err != nil || !found {
			if err != nil {
				return false, err
			}
			continue
		}
		list := framework.UnstructuredList(schema.GroupVersionKind{Group: crd.Spec.Group,
			Version: crd.Spec.Versions[0].Name, Kind: crd.Spec.Names.Kind})()
		if err := o.Live.List(ctx, list, client.Limit(1)); err != nil && !framework.IsGone(err) {
			return false, err
		}
		if len(framework.Items(list)) > 0 {
			return true, nil
		}
	}
	return false, nil
}
