package kube_test

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestDeleteWhatWasRead(t *testing.T) {
	const pool = `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: a, namespace: b}}`
	relabelled := func(o *unstructured.Unstructured) { o.SetLabels(map[string]string{"by": "another"}) }
	for name, tc := range map[string]struct {
		meanwhile func(*unstructured.Unstructured)
		uid       types.UID
		delete    func(*kube.Client, context.Context, client.Object) (step.Change, error)
		conflict  bool
	}{
		"the same":                       {nil, "", (*kube.Client).DeleteByUID, false},
		"changed":                        {relabelled, "", (*kube.Client).DeleteByUID, false},
		"another of its name":            {nil, "older", (*kube.Client).DeleteByUID, true},
		"unchanged":                      {nil, "", (*kube.Client).DeleteUnchanged, false},
		"changed, and must not be":       {relabelled, "", (*kube.Client).DeleteUnchanged, true},
		"another, and must be unchanged": {nil, "older", (*kube.Client).DeleteUnchanged, true},
	} {
		t.Run(name, func(t *testing.T) {
			api := kubetest.Serve(t, pool)
			read := api.Object(t, kube.IPAddressPool, "b", "a").DeepCopy()
			if tc.meanwhile != nil {
				now := read.DeepCopy()
				tc.meanwhile(now)
				raw, err := now.MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				api.Put(t, string(raw))
			}
			if tc.uid != "" {
				read.SetUID(tc.uid)
			}
			change, err := tc.delete(api.Client, t.Context(), read)
			left := api.Object(t, kube.IPAddressPool, "b", "a") != nil
			if apierrors.IsConflict(err) != tc.conflict || left != tc.conflict || (err == nil) != (change == step.Deleted) {
				t.Errorf("%q, %v; left: %v", change, err, left)
			}
		})
	}
}

func TestDeleteWhatIsGone(t *testing.T) {
	api := kubetest.Serve(t, `{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: a, namespace: b}}`)
	gone := kube.IPAddressPool.New()
	gone.SetName("gone")
	gone.SetNamespace("b")
	if change, err := api.Client.DeleteByUID(t.Context(), gone); change != step.Unchanged || err != nil {
		t.Errorf("%s, %v", change, err)
	}
	if _, err := api.Client.DeleteByUID(t.Context(), kube.Kind{}.New()); err == nil {
		t.Error("an object without a kind was deleted")
	}
}
