package kube_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/sandbox"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestAgainstAnAPIServer runs what only a real API server can prove. One sandbox serves all its parts.
func TestAgainstAnAPIServer(t *testing.T) {
	s := sandbox.Start(t)
	cfg, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	c, err := kube.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for name, part := range map[string]func(*testing.T, *kube.Client){
		"one object":               watchOneObject,
		"a list":                   watchAList,
		"absent and unknown kinds": absentAndUnknown,
		"kind registered later":    kindRegisteredLater,
		"apply":                    applyTellsWhatChanged,
		"apply leaves the foreign": applyLeavesForeignFields,
		"create once":              createOnce,
		"read once":                readOnce,
		"plan writes nothing":      planWritesNothing,
		"plan without ground":      planWithoutGround,
		"metadata alone":           metadataAlone,
		"without a name":           nameless,
		"answers replace":          answersReplace,
		"merge from unchanged":     mergeFromUnchanged,
		"subresources":             subresources,
		"served kinds":             kindsOfAllServers,
	} {
		t.Run(name, func(t *testing.T) { part(t, c) })
	}
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Data: map[string]string{"key": value}}
}

// watching returns a watching reader, and a function that fails the test unless a change is told soon.
func watching(t *testing.T, c *kube.Client) (kube.Reader, func()) {
	t.Helper()
	m := c.NewInformers(t.Context())
	w := m.Watch()
	t.Cleanup(func() { w.Close(); m.Close() })
	return c.Reader(w), func() {
		t.Helper()
		select {
		case <-w.Changed():
		case <-time.After(10 * time.Second):
			t.Fatal("no change was told within 10 s")
		}
	}
}

// until reads anew after each change told, until the predicate holds.
func until(changed func(), holds func() bool) {
	for !holds() {
		changed()
	}
}

func watchOneObject(t *testing.T, c *kube.Client) {
	watched, changed := watching(t, c)
	key := client.ObjectKey{Namespace: "default", Name: "one"}
	var got corev1.ConfigMap
	if err := watched.Get(t.Context(), key, &got); !apierrors.IsNotFound(err) {
		t.Fatalf("before it exists: %v", err)
	}
	if err := c.Create(t.Context(), configMap("one", "a")); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool { return watched.Get(t.Context(), key, &got) == nil && got.Data["key"] == "a" })
	if err := c.Patch(t.Context(), configMap("one", ""),
		client.RawPatch(types.MergePatchType, []byte(`{"data":{"key":"b"}}`))); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool { return watched.Get(t.Context(), key, &got) == nil && got.Data["key"] == "b" })
	if err := c.Delete(t.Context(), configMap("one", "")); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool { return apierrors.IsNotFound(watched.Get(t.Context(), key, &got)) })
}

func watchAList(t *testing.T, c *kube.Client) {
	watched, changed := watching(t, c)
	list := func() int {
		var l corev1.ConfigMapList
		if err := watched.List(t.Context(), &l, client.InNamespace("default"),
			client.MatchingLabels{"set": "mine"}); err != nil {
			t.Fatal(err)
		}
		return len(l.Items)
	}
	if n := list(); n != 0 {
		t.Fatalf("%d at first, want none", n)
	}
	for _, name := range []string{"list-a", "list-b"} {
		cm := configMap(name, "")
		cm.Labels = map[string]string{"set": "mine"}
		if err := c.Create(t.Context(), cm); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Create(t.Context(), configMap("list-other", "")); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool { return list() == 2 })
}

func absentAndUnknown(t *testing.T, c *kube.Client) {
	watched, _ := watching(t, c)
	for where, from := range map[string]kube.Reader{"asked": c, "watched": watched} {
		err := from.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "nobody"}, &corev1.Secret{})
		if !apierrors.IsNotFound(err) || kube.IsKindMissing(err) {
			t.Errorf("%s: an absent Secret is %v", where, err)
		}
		err = from.Get(t.Context(), client.ObjectKey{Name: "nobody"}, kube.MultiClusterEngine.New())
		if !apierrors.IsNotFound(err) || !kube.IsKindMissing(err) {
			t.Errorf("%s: an unknown kind is %v", where, err)
		}
	}
}

func kindRegisteredLater(t *testing.T, c *kube.Client) {
	watched, changed := watching(t, c)
	object := kube.ClusterImageSet.New()
	if err := watched.Get(t.Context(), client.ObjectKey{Name: "a"}, object); !kube.IsKindMissing(err) {
		t.Fatalf("before its CRD: %v", err)
	}
	crd := kube.CustomResourceDefinition.New()
	crd.SetName("clusterimagesets.hive.openshift.io")
	crd.Object["spec"] = map[string]any{
		"group": "hive.openshift.io", "scope": "Cluster",
		"names": map[string]any{"plural": "clusterimagesets", "singular": "clusterimageset", "kind": "ClusterImageSet",
			"listKind": "ClusterImageSetList"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object",
				"x-kubernetes-preserve-unknown-fields": true}}}},
	}
	if err := c.Create(t.Context(), crd); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool {
		return !kube.IsKindMissing(watched.Get(t.Context(), client.ObjectKey{Name: "a"}, object))
	})
	object.SetName("a")
	if err := c.Create(t.Context(), object); err != nil {
		t.Fatal(err)
	}
	until(changed, func() bool { return watched.Get(t.Context(), client.ObjectKey{Name: "a"}, object) == nil })
}

func applyTellsWhatChanged(t *testing.T, c *kube.Client) {
	for _, s := range []struct {
		value string
		want  step.Change
	}{{"a", step.Created}, {"a", step.Unchanged}, {"b", step.Configured}} {
		got, err := c.Apply(t.Context(), configMap("applied", s.value))
		if err != nil || got != s.want {
			t.Fatalf("value %s: %q, %v; want %q", s.value, got, err, s.want)
		}
	}
	var cm corev1.ConfigMap
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "applied"}, &cm); err != nil {
		t.Fatal(err)
	}
	if cm.Labels[kube.ManagedByLabel] != kube.FieldOwner {
		t.Errorf("what Apply created carries the labels %v", cm.Labels)
	}
}

func applyLeavesForeignFields(t *testing.T, c *kube.Client) {
	theirs := configMap("foreign", "theirs")
	theirs.Data["other"] = "kept"
	if err := c.Create(t.Context(), theirs, client.FieldOwner("somebody")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Apply(t.Context(), configMap("foreign", "ours")); err == nil || kube.IsTransient(err) {
		t.Fatalf("a field of somebody else was overwritten, or is retried: %v", err)
	}
	extra := kube.Kind{GroupVersionKind: corev1.SchemeGroupVersion.WithKind("ConfigMap")}.New()
	extra.SetNamespace("default")
	extra.SetName("foreign")
	if err := unstructured.SetNestedField(extra.Object, "added", "data", "ours"); err != nil {
		t.Fatal(err)
	}
	if change, err := c.Apply(t.Context(), extra); err != nil || change != step.Configured {
		t.Fatalf("adding a field: %q, %v", change, err)
	}
	var cm corev1.ConfigMap
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "foreign"}, &cm); err != nil {
		t.Fatal(err)
	}
	if cm.Data["key"] != "theirs" || cm.Data["other"] != "kept" || cm.Data["ours"] != "added" || len(cm.Labels) != 0 {
		t.Errorf("data %v, labels %v", cm.Data, cm.Labels)
	}
}

func createOnce(t *testing.T, c *kube.Client) {
	first, err := c.CreateOnce(t.Context(), configMap("once", "first"))
	if err != nil || first != step.Created {
		t.Fatalf("%q, %v", first, err)
	}
	second, err := c.CreateOnce(t.Context(), configMap("once", "second"))
	if err != nil || second != step.Unchanged {
		t.Fatalf("%q, %v", second, err)
	}
	var cm corev1.ConfigMap
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: "once"}, &cm); err != nil {
		t.Fatal(err)
	}
	if cm.Data["key"] != "first" {
		t.Errorf("the second call replaced the first: %v", cm.Data)
	}
}
