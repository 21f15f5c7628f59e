package datafoundation

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// From 4.19 on the classes come through StorageConsumer and StorageClient, and go with the StorageClient, which waits
// for the volumes.
func TestClassesComeThroughTheStorageClient(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	ctx := context.Background()
	sc := storageClusterObject()
	sc.SetUID("sc")
	consumer := internalConsumer(sc)
	consumer.SetUID("consumer") // the fake client gives none
	served := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{
		Name: "storageclients.ocs.openshift.io"}}
	served.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
		{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(sc, served, consumer).WithStatusSubresource(sc,
		framework.Unstructured(cephClusterKind), framework.Unstructured(storageConsumerKind),
		framework.Unstructured(storageClientKind)).Build()
	f := &dataFoundation{framework.NewRun(nil, operator.Env{Client: c, Live: c, Pace: operator.Pace{Speed: 1e12},
		Profile: profile.Profile{OpenShift: "4.20.1"}})}

	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(o *unstructured.Unstructured) *unstructured.Unstructured {
		t.Helper()
		if found, err := framework.Exists(ctx, c, o); err != nil || !found {
			t.Fatalf("%s %s: there: %t, %v", o.GetKind(), o.GetName(), found, err)
		}
		return o
	}
	is := func(o *unstructured.Unstructured, field, want string) {
		t.Helper()
		if got := framework.Text(read(o), "status", field); got != want {
			t.Errorf("%s %s: %s %q, want %q", o.GetKind(), o.GetName(), field, got, want)
		}
	}
	work := func() {
		t.Helper()
		_, err := f.serveConsumer(ctx, read(internalConsumer(sc)))
		must(err)
		if there, _ := framework.Exists(ctx, c, internalClient(sc)); there {
			_, err = f.serveClient(ctx, read(internalClient(sc)))
			must(err)
		}
	}
	block := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "ocs-storagecluster-ceph-rbd"}}

	must(f.cephCreated(ctx, sc))
	must(f.consumer(ctx, sc))
	work()
	is(internalConsumer(sc), "state", "NotEnabled")
	must(f.consumer(ctx, sc)) // now there is a ticket
	work()
	is(internalClient(sc), "phase", "Connected")
	work()
	is(internalConsumer(sc), "state", "Configuring")
	if there, _ := framework.Exists(ctx, c, block); there {
		t.Error("there is a class before Ceph runs")
	}
	must(f.ceph(ctx, sc))
	work()
	is(internalConsumer(sc), "state", "Ready")
	if there, err := framework.Exists(ctx, c, block); err != nil || !there ||
		metav1.GetControllerOf(block) == nil || metav1.GetControllerOf(block).Kind != "StorageClient" {
		t.Errorf("class there: %t, of %v, %v", there, block.OwnerReferences, err)
	}

	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}}
	volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: RBDDriver,
		VolumeAttributes: map[string]string{"clusterID": storageNamespace}}
	must(c.Create(ctx, volume))
	for range 2 {
		if gone, err := f.offboard(ctx, sc); gone || err != nil {
			t.Fatalf("gone: %t, %v", gone, err)
		}
		work()
	}
	is(internalClient(sc), "phase", "Offboarding")
	must(c.Delete(ctx, volume))
	work()
	if there, _ := framework.Exists(ctx, c, internalClient(sc)); there {
		t.Error("the StorageClient is still there")
	}
	if gone, err := f.offboard(ctx, sc); !gone || err != nil {
		t.Fatalf("gone: %t, %v", gone, err)
	}
	if there, _ := framework.Exists(ctx, c, internalConsumer(sc)); there {
		work() // its own controller takes the last finalizer away
	}
	if there, _ := framework.Exists(ctx, c, internalConsumer(sc)); there {
		t.Error("the StorageConsumer is still there")
	}
}
