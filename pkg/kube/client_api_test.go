package kube_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// metadataAlone reads, changes and deletes an object of which only the metadata is known.
func metadataAlone(t *testing.T, c *kube.Client) {
	whole := configMap("metadata", "a")
	whole.Labels = map[string]string{"set": "metadata"}
	if err := c.Create(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	kind := corev1.SchemeGroupVersion.WithKind("ConfigMap")
	one := &metav1.PartialObjectMetadata{}
	one.SetGroupVersionKind(kind)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(whole), one); err != nil {
		t.Fatal(err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`))
	if err := c.Patch(t.Context(), one, patch); err != nil {
		t.Fatal(err)
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMapList"))
	err := c.List(t.Context(), list, client.InNamespace("default"), client.HasLabels{"set"},
		client.MatchingLabels{"set": "metadata"})
	if err != nil || len(list.Items) != 1 {
		t.Fatalf("%d, %v", len(list.Items), err)
	}
	if got := &list.Items[0]; got.UID != whole.UID || got.GroupVersionKind() != kind || got.Annotations["a"] != "b" ||
		one.GroupVersionKind() != kind || one.Annotations["a"] != "b" {
		t.Errorf("listed %v, patched %v", got, one)
	}
	if _, err := c.DeleteByUID(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(whole), one); !apierrors.IsNotFound(err) {
		t.Errorf("after its deletion: %v", err)
	}
}

// nameless calls must not become calls for all objects.
func nameless(t *testing.T, c *kube.Client) {
	kept := configMap("nameless", "a")
	if err := c.Create(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	untyped := kube.ConfigMap.New()
	untyped.SetNamespace("default")
	metadata := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "default"}}
	metadata.SetGroupVersionKind(kube.ConfigMap.GroupVersionKind)
	patch := client.RawPatch(types.MergePatchType, []byte(`{"data":{"key":"b"}}`))
	for _, o := range []client.Object{configMap("", ""), untyped, metadata} {
		for verb, err := range map[string]error{
			"get":    c.Get(t.Context(), client.ObjectKeyFromObject(o), o),
			"patch":  c.Patch(t.Context(), o, patch),
			"delete": c.Delete(t.Context(), o),
		} {
			if err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
				t.Errorf("%s of %T without a name: %v", verb, o, err)
			}
		}
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(kept), kept); err != nil || kept.Data["key"] != "a" {
		t.Errorf("afterwards: %v, %v", kept.Data, err)
	}
}

// answersReplace makes sure that what an answer does not mention does not stay in the object, typed or not.
func answersReplace(t *testing.T, c *kube.Client) {
	if err := c.Create(t.Context(), configMap("replaced", "a")); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "default", Name: "replaced"}
	typed := configMap("replaced", "old")
	typed.Data["other"], typed.Labels = "old", map[string]string{"old": "old"}
	untyped := kube.ConfigMap.New()
	untyped.Object["data"] = map[string]any{"other": "old"}
	if err := c.Get(t.Context(), key, typed); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(t.Context(), key, untyped); err != nil {
		t.Fatal(err)
	}
	got, _, _ := unstructured.NestedStringMap(untyped.Object, "data")
	want := map[string]string{"key": "a"}
	if diff := cmp.Diff(want, typed.Data) + cmp.Diff(want, got); diff != "" || typed.Labels != nil {
		t.Errorf("%v, %s", typed.Labels, diff)
	}
	if untyped.GetKind() != "ConfigMap" {
		t.Errorf("the kind is %q", untyped.GetKind())
	}
}

func mergeFromUnchanged(t *testing.T, c *kube.Client) {
	one := configMap("merged", "a")
	if err := c.Create(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	write := func(value string) error {
		after := one.DeepCopy()
		after.Data["key"] = value
		return c.Patch(t.Context(), after, client.MergeFromUnchanged(one), client.FieldOwner("test"))
	}
	if err := write("b"); err != nil {
		t.Fatal(err)
	}
	if err := write("c"); !apierrors.IsConflict(err) {
		t.Errorf("of an object that has changed: %v", err)
	}
	err := c.Create(t.Context(), configMap("not-stored", "a"), client.DryRunAll)
	missing := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "not-stored"}, one)
	if err != nil || !apierrors.IsNotFound(missing) {
		t.Errorf("a dry run: %v, then %v", err, missing)
	}
}

func subresources(t *testing.T, c *kube.Client) {
	account := kube.ServiceAccount.New()
	account.SetNamespace("default")
	account.SetName("subresources")
	if err := c.Create(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	request := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "authentication.k8s.io/v1",
		"kind": "TokenRequest", "spec": map[string]any{"expirationSeconds": int64(600)}}}
	if err := c.CreateSubresource(t.Context(), account, "token", request); err != nil {
		t.Fatal(err)
	}
	if kube.Text(request, "status", "token") == "" {
		t.Error("no token")
	}
	claim := &corev1.PersistentVolumeClaim{}
	err := yaml.UnmarshalStrict([]byte(`{metadata: {namespace: default, name: subresources}, spec: {
		accessModes: [ReadWriteOnce], storageClassName: none, resources: {requests: {storage: 1Gi}}}}`), claim)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	patch := client.RawPatch(types.MergePatchType, []byte(`{"status":{"phase":"Lost"}}`))
	if err := c.Patch(t.Context(), claim, patch, client.Subresource("status")); err != nil ||
		claim.Status.Phase != corev1.ClaimLost {
		t.Errorf("%s, %v", claim.Status.Phase, err)
	}
}

// kindsOfAllServers has the kinds of the API server as client-go finds them, from its answers with all kinds and from
// those of an older server.
func kindsOfAllServers(t *testing.T, c *kube.Client) {
	for name, old := range map[string]bool{"all kinds in one answer": false, "an older API server": true} {
		t.Run(name, func(t *testing.T) {
			cfg := rest.CopyConfig(c.Config())
			if old {
				cfg.Wrap(func(next http.RoundTripper) http.RoundTripper {
					return acceptJSON{next}
				})
			}
			asked, err := kube.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			served, gaps, err := asked.ServedKinds(t.Context())
			if err != nil || len(gaps) != 0 {
				t.Fatal(err, gaps)
			}
			var got, want []string
			for _, k := range served {
				got = append(got, strings.Join([]string{k.GroupVersion().String(), k.Kind.Kind, k.Plural}, " "))
				if k.Kind.Kind == "ClusterRole" && (k.Namespaced || !k.Can("list") || k.Group != rbacv1.GroupName) {
					t.Errorf("%+v", k)
				}
			}
			d, err := discovery.NewDiscoveryClientForConfig(c.Config())
			if err != nil {
				t.Fatal(err)
			}
			lists, err := d.ServerPreferredResources()
			if err != nil {
				t.Fatal(err)
			}
			for _, list := range lists {
				for _, r := range list.APIResources {
					if !strings.Contains(r.Name, "/") {
						want = append(want, strings.Join([]string{list.GroupVersion, r.Kind, r.Name}, " "))
					}
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" || len(got) < 50 {
				t.Error(len(got), diff)
			}
		})
	}
}

type acceptJSON struct{ next http.RoundTripper }

func (a acceptJSON) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("Accept", "application/json")
	return a.next.RoundTrip(r)
}
