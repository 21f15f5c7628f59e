package guest

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// ConsoleURL returns the address of a hosted cluster's web console, or "" until the console operator has written it. It
// returns the error of the read.
func ConsoleURL(ctx context.Context, hosted kube.Reader) (string, error) {
	gvk := schema.GroupVersionKind{Group: "config.openshift.io", Version: "v1", Kind: "Console"}
	if err := hosted.DiscoverKind(ctx, gvk); err != nil {
		return "", err
	}
	console := &unstructured.Unstructured{}
	console.SetGroupVersionKind(gvk)
	if err := hosted.Get(ctx, client.ObjectKey{Name: "cluster"}, console); err != nil {
		return "", err
	}
	return kube.Text(console, "status", "consoleURL"), nil
}
