// Package world has the objects of a new bare-metal OpenShift: its configuration, namespaces and nodes. It can also
// provision the operators that a profile has installed.
package world

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"text/template"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/profile"
)

//go:embed birth/*.yaml
var birth embed.FS

// mirrorCA is the certificate of a disconnected cluster's mirror registry.
//
//go:embed mirror.pem
var mirrorCA string

// BaseDomain is the DNS name of the sandbox's cluster: its Routes are under apps.<BaseDomain>. The domain is reserved
// for documentation, so it does not resolve.
const BaseDomain = "mgmt.example.com"

// Create creates the missing nodes and the missing objects of built-in kinds; ctx bounds it. The other objects at birth
// must exist already.
func Create(ctx context.Context, c client.Client, p profile.Profile) error {
	objects, err := Objects(p)
	if err != nil {
		return err
	}
	nodes, err := NodesOf(p)
	if err != nil {
		return err
	}
	// The namespaces come first, because the other objects may need one.
	first := func(o *unstructured.Unstructured) bool { return o.GetKind() == "Namespace" }
	for _, wanted := range []bool{true, false} {
		group, gctx := errgroup.WithContext(ctx)
		group.SetLimit(16)
		for _, o := range objects {
			if first(o) == wanted && BuiltIn(o) {
				group.Go(func() error { return create(gctx, c, o) })
			}
		}
		if wanted {
			for i := range nodes {
				group.Go(func() error { return createNode(gctx, c, &nodes[i]) })
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// createNode creates a node, and its CSINode as a kubelet without CSI drivers does.
func createNode(ctx context.Context, c client.Client, node *corev1.Node) error {
	csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
	if err := ignoreExisting(c.Create(ctx, node)); err != nil {
		return err
	}
	return ignoreExisting(c.Create(ctx, csi))
}

// Objects returns the objects at birth with their status, except the nodes.
func Objects(p profile.Profile) ([]*unstructured.Unstructured, error) {
	return render(birth, "birth/*.yaml", p)
}

// render reads the objects of all files that match pattern, with the templates executed for the profile.
func render(files fs.FS, pattern string, p profile.Profile) ([]*unstructured.Unstructured, error) {
	f := factsOf(p)
	tmpl, err := template.New("").Funcs(template.FuncMap{"base64": encode, "join": strings.Join,
		"mirrorCA": func() string { return mirrorCA }}).
		Option("missingkey=error").ParseFS(files, pattern)
	if err != nil {
		return nil, fmt.Errorf("parse objects: %w", err)
	}
	var out []*unstructured.Unstructured
	for _, t := range tmpl.Templates() {
		var buf bytes.Buffer
		if err := t.Execute(&buf, f); err != nil {
			return nil, fmt.Errorf("fill in %s: %w", t.Name(), err)
		}
		objects, err := decode(&buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name(), err)
		}
		out = append(out, objects...)
	}
	return out, nil
}

// decode reads YAML documents.
func decode(r io.Reader) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(r, 4096)
	for {
		o := &unstructured.Unstructured{}
		switch err := decoder.Decode(&o.Object); {
		case errors.Is(err, io.EOF):
			return out, nil
		case err != nil:
			return nil, err
		case len(o.Object) > 0:
			out = append(out, o)
		}
	}
}

// BuiltIn reports whether Kubernetes itself has the kind of o; CRDs define the others.
func BuiltIn(o *unstructured.Unstructured) bool {
	return clientgoscheme.Scheme.IsGroupRegistered(o.GroupVersionKind().Group)
}

// create creates an object whose kind has no status at birth.
func create(ctx context.Context, c client.Client, o *unstructured.Unstructured) error {
	if err := ignoreExisting(c.Create(ctx, o)); err != nil {
		return fmt.Errorf("create %s %s: %w", o.GetKind(), client.ObjectKeyFromObject(o), err)
	}
	return nil
}

func ignoreExisting(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
