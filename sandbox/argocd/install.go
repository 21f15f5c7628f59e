package argocd

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/crds"
)

// instance is the kind of the resource that OpenShift GitOps' operator makes Argo CD of.
const instance = "ArgoCD"

type object = map[string]any

// install creates Argo CD's kinds, its namespace and its settings. What is there stays.
func (a *Argo) install(ctx context.Context, directory string) error {
	files, err := filepath.Glob(filepath.Join(directory, "argocd-crds", "*-crd.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no kinds in %s: run `make sandbox-gitops`: %w", filepath.Join(directory, "argocd-crds"), err)
	}
	own, err := crds.Set(crds.GitOps, a.Release)
	if err != nil {
		return err
	}
	var all []client.Object
	for _, crd := range own {
		if crd.Spec.Names.Kind == instance {
			all = append(all, crd)
		}
	}
	for _, file := range files {
		data, err := os.ReadFile(file) // #nosec G304 -- beside the sandbox's own program
		if err != nil {
			return err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(data, crd); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, crd)
	}
	part := map[string]string{"app.kubernetes.io/part-of": "argocd"}
	all = append(all,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}},
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "argocd-cm", Namespace: Namespace, Labels: part},
			Data: map[string]string{"timeout.reconciliation": resync + "s", "timeout.reconciliation.jitter": "0s"}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "argocd-secret", Namespace: Namespace, Labels: part},
			StringData: map[string]string{"server.secretkey": "of a sandbox"}})
	for _, o := range all {
		if err := a.create(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range all {
		if crd, ok := o.(*apiextensionsv1.CustomResourceDefinition); ok {
			if err := a.served(ctx, crd); err != nil {
				return err
			}
		}
	}
	if !a.Operator {
		return nil
	}
	argo := &unstructured.Unstructured{Object: object{"apiVersion": "argoproj.io/v1beta1", "kind": instance,
		"metadata": object{"namespace": Namespace, "name": Namespace}, "spec": object{}}}
	return a.create(ctx, argo)
}

// create creates an object unless it is there.
func (a *Argo) create(ctx context.Context, o client.Object) error {
	if err := a.Client.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("create %T %s: %w", o, o.GetName(), err)
	}
	return nil
}

// served waits until discovery has a kind.
func (a *Argo) served(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) error {
	for {
		_, err := list(ctx, a.Client, crd.Spec.Group, crd.Spec.Versions[0].Name, crd.Spec.Names.Kind)
		switch {
		case err == nil:
			return nil
		case !absent(err):
			return fmt.Errorf("list %s: %w", crd.Name, err)
		case !wait(ctx, 100*time.Millisecond):
			return ctx.Err()
		}
	}
}

// Keep keeps Argo CD's settings as the ArgoCD resource says, and plays the hosted clusters' operators, until ctx ends.
func (a *Argo) Keep(ctx context.Context) error {
	hosted := newHosted(a)
	said := ""
	for {
		err := a.settings(ctx)
		if err == nil {
			err = hosted.look(ctx)
		}
		if err != nil && ctx.Err() == nil && err.Error() != said {
			said = err.Error()
			a.Log.Info("Argo CD's surroundings are not played", "reason", said)
		}
		if !wait(ctx, look) {
			return nil
		}
	}
}

// settings writes the health checks of the ArgoCD resource into config map argocd-cm, as the operator does.
func (a *Argo) settings(ctx context.Context) error {
	argo := &unstructured.Unstructured{}
	argo.SetAPIVersion("argoproj.io/v1beta1")
	argo.SetKind(instance)
	if err := a.Client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: Namespace}, argo); err != nil {
		return client.IgnoreNotFound(err)
	}
	cm := &corev1.ConfigMap{}
	if err := a.Client.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: "argocd-cm"}, cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := cm.DeepCopy()
	checks, _, _ := unstructured.NestedSlice(argo.Object, "spec", "resourceHealthChecks")
	for _, c := range checks {
		var check struct{ Group, Kind, Check string }
		data, err := json.Marshal(c)
		if err == nil {
			err = json.Unmarshal(data, &check)
		}
		if err != nil {
			return fmt.Errorf("health checks of ArgoCD %s: %w", Namespace, err)
		}
		cm.Data["resource.customizations.health."+check.Group+"_"+check.Kind] = check.Check
	}
	if !maps.Equal(before.Data, cm.Data) {
		if err := a.Client.Patch(ctx, cm, client.MergeFrom(before)); err != nil {
			return err
		}
	}
	if phase, _, _ := unstructured.NestedString(argo.Object, "status", "phase"); !a.Operator || phase == "Available" {
		return nil
	}
	old := argo.DeepCopy()
	if err := unstructured.SetNestedField(argo.Object, "Available", "status", "phase"); err != nil {
		return err
	}
	return a.Client.Status().Patch(ctx, argo, client.MergeFrom(old))
}

// wait waits, and reports whether ctx is still alive.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
