package mce

import (
	"context"
	"testing"
	"time"

	hypershiftv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// engineWith returns an engine of a cluster with these objects, and the CertificateSigningRequests that it approves.
func engineWith(t *testing.T, objects ...client.Object) (*engine, *[]string) {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, clusterv1.Install, addonv1.Install,
		hypershiftv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	approved := &[]string{}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		SubResourceUpdate: func(_ context.Context, _ client.Client, kind string, o client.Object,
			_ ...client.SubResourceUpdateOption) error {
			*approved = append(*approved, kind+" "+o.GetName())
			return nil
		},
	}).Build()
	env := operator.Env{Client: c, Live: c, Pace: operator.Pace{Speed: 1}}
	return &engine{Run: framework.NewRun(nil, env)}, approved
}

// Only the first request of a known cluster's own account is approved.
func TestApprove(t *testing.T) {
	request := func(change func(*certificatesv1.CertificateSigningRequest)) *certificatesv1.CertificateSigningRequest {
		csr := &certificatesv1.CertificateSigningRequest{
			ObjectMeta: metav1.ObjectMeta{Name: "r", Labels: map[string]string{clusterNameLabel: "hub"}},
			Spec: certificatesv1.CertificateSigningRequestSpec{SignerName: certificatesv1.KubeAPIServerClientSignerName,
				Username: "system:serviceaccount:hub:hub-bootstrap-sa"},
		}
		change(csr)
		return csr
	}
	for name, c := range map[string]struct {
		change func(*certificatesv1.CertificateSigningRequest)
		want   bool
	}{
		"the agent's own": {func(*certificatesv1.CertificateSigningRequest) {}, true},
		"another user":    {func(r *certificatesv1.CertificateSigningRequest) { r.Spec.Username = "admin" }, false},
		"another signer": {func(r *certificatesv1.CertificateSigningRequest) {
			r.Spec.SignerName = certificatesv1.KubeletServingSignerName
		}, false},
		"an unknown cluster": {func(r *certificatesv1.CertificateSigningRequest) {
			r.Labels[clusterNameLabel], r.Spec.Username = "other", "system:serviceaccount:other:other-bootstrap-sa"
		}, false},
		"no cluster": {func(r *certificatesv1.CertificateSigningRequest) { r.Labels = nil }, false},
		"one that is denied": {func(r *certificatesv1.CertificateSigningRequest) {
			r.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateDenied}}
		}, false},
	} {
		m, approved := engineWith(t, request(c.change), &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: "hub"}})
		if _, err := m.approve(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Name: "r"}}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := len(*approved) == 1; got != c.want {
			t.Errorf("%s: approved %v, want %v", name, *approved, c.want)
		}
	}
}

// A cluster's namespace goes when the cluster is gone or nearly so, and nothing in it needs it.
func TestClusterNamespace(t *testing.T) {
	deleted := metav1.Now()
	cluster := func(at *metav1.Time, finalizers ...string) client.Object {
		return &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: "kv", DeletionTimestamp: at,
			Finalizers: finalizers}}
	}
	inside := metav1.ObjectMeta{Namespace: "kv", Name: "x"}
	for name, c := range map[string]struct {
		others []client.Object
		label  string
		stays  bool
	}{
		"no cluster":              {nil, "kv", false},
		"a live cluster":          {[]client.Object{cluster(nil, importFinalizer)}, "kv", true},
		"held by the import":      {[]client.Object{cluster(&deleted, importFinalizer)}, "kv", false},
		"held by another":         {[]client.Object{cluster(&deleted, infoFinalizer)}, "kv", true},
		"held by both":            {[]client.Object{cluster(&deleted, importFinalizer, infoFinalizer)}, "kv", true},
		"an addon is left":        {[]client.Object{&addonv1.ManagedClusterAddOn{ObjectMeta: inside}}, "kv", true},
		"a HostedCluster is left": {[]client.Object{&hypershiftv1.HostedCluster{ObjectMeta: inside}}, "kv", true},
		"a pod is left":           {[]client.Object{&corev1.Pod{ObjectMeta: inside}}, "kv", true},
		"not a cluster's":         {nil, "", true},
	} {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: "kv", Labels: map[string]string{managedNamespace: c.label}}}
		m, _ := engineWith(t, append(c.others, ns)...)
		req := reconcile.Request{NamespacedName: client.ObjectKey{Name: "kv"}}
		if _, err := m.clusterNamespace(t.Context(), req); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if stays := !apierrors.IsNotFound(m.Client.Get(t.Context(), req.NamespacedName, ns)); stays != c.stays {
			t.Errorf("%s: stays is %v, want %v", name, stays, c.stays)
		}
	}
}

// A simulated agent renews its lease once in its duration, and lets it expire after five when its cluster is gone.
func TestHostedLease(t *testing.T) {
	renewed := time.Now().Add(-20 * time.Second).Truncate(time.Microsecond)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "kv", Name: clusterLease},
		Spec: coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: renewed}}}
	c := &clusterv1.ManagedCluster{ObjectMeta: metav1.ObjectMeta{Name: "kv", UID: "1"},
		Spec: clusterv1.ManagedClusterSpec{LeaseDurationSeconds: 60}}
	m, _ := engineWith(t, lease)
	at := func() time.Time {
		t.Helper()
		if err := m.Client.Get(t.Context(), client.ObjectKeyFromObject(lease), lease); err != nil {
			t.Fatal(err)
		}
		return lease.Spec.RenewTime.Time
	}
	if wait, err := m.renew(t.Context(), c, renewed.Add(50*time.Second)); err != nil || wait != 10*time.Second ||
		!at().Equal(renewed) {
		t.Errorf("after 50 s: next in %s, renewed at %s, %v", wait, at(), err)
	}
	now := renewed.Add(time.Minute)
	if wait, err := m.renew(t.Context(), c, now); err != nil || wait != time.Minute || !at().Equal(now) {
		t.Errorf("after 60 s: next in %s, renewed at %s, %v", wait, at(), err)
	}
	if result, err := m.loseLease(t.Context(), c); err != nil || result.RequeueAfter < 4*time.Minute || !at().Equal(now) {
		t.Errorf("a lost cluster's lease: %+v, %v, renewed at %s", result, err, at())
	}
	m.Pace.Speed = 1e9
	if _, err := m.loseLease(t.Context(), c); err != nil || time.Since(at()) < 5*time.Minute {
		t.Errorf("a lost cluster's lease has not expired: renewed %s ago, %v", time.Since(at()), err)
	}
}
