package identity

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ID is the step ID of --identity.
const ID step.ID = "services/identity"

const page = "docs/identity.md"

// The keys of the ConfigMap with the provider's certificate authorities: the OAuth server reads the first (HyperShift,
// idp_convert.go, corev1.ServiceAccountRootCAKey), the API server the second (kas/auth.go).
const (
	oauthCAKey = "ca.crt"
	oidcCAKey  = "ca-bundle.crt"
)

// Provider is the service of --identity: it writes the objects that the HostedCluster needs for its provider, and its
// use of the provider.
func Provider() service.Service {
	return service.Service{
		ID: ID, Title: "identity provider", Page: page, Early: true,
		For:   ready,
		Check: checkProvider, Apply: applyProvider, Removed: providerRemoved, Remove: removeProvider,
		Refuse: refuseProvider, Wires: wires, Describe: describeProvider, Rights: providerRights(),
	}
}

// ready reports whether the options have a provider whose files have been read.
func ready(o options.Validated) bool {
	i := o.TenantServices.Identity
	return i != nil && i.Issuer != ""
}

// companions are the objects next to the HostedCluster that its provider needs.
type companions struct {
	secret *corev1.Secret
	ca     *corev1.ConfigMap
	names  names
}

func (b companions) objects() []client.Object {
	var out []client.Object
	if b.secret != nil {
		out = append(out, b.secret)
	}
	if b.ca != nil {
		out = append(out, b.ca)
	}
	return out
}

// wantedCompanions returns the wanted companions.
func wantedCompanions(ctx context.Context, t service.Tenant, r kube.Reader) (companions, *step.Finding) {
	i, d := t.Options.TenantServices.Identity, t.Options.TenantServices.Dex
	secret, authorities := i.Secret, i.CA
	if d != nil {
		if _, f := t.FindNamespace(ctx, r); f != nil {
			return companions{}, f
		}
		k, f := readKeys(ctx, t, r)
		if f != nil {
			return companions{}, f
		}
		secret, authorities = k.consoleSecret, k.ca
		if d.TLSSecret != "" {
			given, f := givenCertificate(ctx, t, r)
			if f != nil {
				return companions{}, f
			}
			authorities = given.Data[authorityCert]
		}
	}
	out := companions{names: names{secret: i.SecretName}}
	at := t.Cluster.Namespace
	if i.SecretName == "" {
		out.names.secret = hostedcluster.IdentityClientName(t.Cluster.Name)
		out.secret = &corev1.Secret{Type: corev1.SecretTypeOpaque, Data: map[string][]byte{options.ClientSecretKey: secret}}
		out.secret.TypeMeta, out.secret.ObjectMeta = service.Meta("Secret", "v1", out.names.secret)
		out.secret.Namespace, out.secret.Labels = at, map[string]string{hostedcluster.SafeToDeleteLabel: "true"}
	}
	if len(authorities) > 0 {
		out.names.ca = hostedcluster.IdentityCAName(t.Cluster.Name)
		out.ca = &corev1.ConfigMap{Data: map[string]string{oauthCAKey: string(authorities), oidcCAKey: string(authorities)}}
		out.ca.TypeMeta, out.ca.ObjectMeta = service.Meta("ConfigMap", "v1", out.names.ca)
		out.ca.Namespace = at
	}
	for _, o := range out.objects() {
		hostedcluster.MarkFor(t.Cluster).SetOn(o)
	}
	return out, nil
}

func checkProvider(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	want, f := wantedCompanions(ctx, t, r)
	if f != nil {
		return *f
	}
	for _, o := range want.objects() {
		if f := same(ctx, t, r, o); f != nil {
			return *f
		}
	}
	i, hc := t.Options.TenantServices.Identity, t.Cluster
	if want.secret == nil {
		if f := checkClientSecret(ctx, r, client.ObjectKey{Namespace: hc.Namespace, Name: i.SecretName}); f != nil {
			return *f
		}
	}
	fields, err := configuration(i, hc, want.names)
	switch {
	case err != nil:
		return step.Broken("%v", err).On("HostedCluster %s", kube.Name(hc)).
			WithHint("oc edit hostedcluster %s -n %s: spec.configuration", hc.Name, hc.Namespace)
	case !wired(hc, fields):
		return step.Missing("it does not use the identity provider %s as asked for", i.Name).
			On("HostedCluster %s", kube.Name(hc))
	}
	return step.OK("%s, by %s", i.Issuer, i.Type).On("HostedCluster %s", kube.Name(hc))
}

// same returns nil if a Secret or ConfigMap exists with the wanted content.
func same(ctx context.Context, t service.Tenant, r kube.Reader, want client.Object) *step.Finding {
	var have client.Object = &corev1.Secret{}
	if _, is := want.(*corev1.ConfigMap); is {
		have = &corev1.ConfigMap{}
	}
	return service.Look(ctx, r, want.GetObjectKind().GroupVersionKind().Kind, client.ObjectKeyFromObject(want), have,
		step.Missing("it is not there"), func() *step.Finding {
			var f step.Finding
			switch {
			case !owned(t, have):
				f = notOwned()
			case !sameData(have, want):
				f = step.Missing("its content is not what it has to be")
			default:
				return nil
			}
			return &f
		})
}

func sameData(have, want client.Object) bool {
	switch want := want.(type) {
	case *corev1.Secret:
		other, ok := have.(*corev1.Secret)
		return ok && reflect.DeepEqual(other.Data, want.Data)
	case *corev1.ConfigMap:
		other, ok := have.(*corev1.ConfigMap)
		return ok && reflect.DeepEqual(other.Data, want.Data)
	}
	return false
}

// checkClientSecret returns nil if the Secret in the options has the client's secret.
func checkClientSecret(ctx context.Context, r kube.Reader, key client.ObjectKey) *step.Finding {
	s := &corev1.Secret{}
	hinted := func(f step.Finding) step.Finding {
		return f.WithHint("oc create secret generic %s -n %s --from-file %s=FILE", key.Name, key.Namespace,
			options.ClientSecretKey)
	}
	return service.Look(ctx, r, "Secret", key, s, hinted(step.Broken("does not exist")), func() *step.Finding {
		if len(s.Data[options.ClientSecretKey]) > 0 {
			return nil
		}
		f := hinted(step.Broken("has no key %s", options.ClientSecretKey))
		return &f
	})
}

func applyProvider(ctx context.Context, t service.Tenant) (step.Change, error) {
	change := step.Unchanged
	if t.Options.TenantServices.Dex != nil {
		made, err := keepKeys(ctx, t)
		if err != nil {
			return made, err
		}
		change = made
	}
	want, f := wantedCompanions(ctx, t, t.Client)
	if f != nil {
		return change, fmt.Errorf("%s: %s", f.Object, f.Message)
	}
	for _, o := range want.objects() {
		if f := same(ctx, t, t.Client, o); f == nil {
			continue
		} else if f.State != step.StateMissing {
			return change, fmt.Errorf("%s: %s", f.Object, f.Message)
		}
		one, err := t.Client.Apply(ctx, o)
		change = step.Join(change, one)
		if err != nil {
			return change, err
		}
	}
	fields, err := configuration(t.Options.TenantServices.Identity, t.Cluster, want.names)
	if err != nil {
		return change, fmt.Errorf("HostedCluster %s: %w", kube.Name(t.Cluster), err)
	}
	if wired(t.Cluster, fields) {
		return change, nil
	}
	edited, err := hostedcluster.Edit(ctx, t.Client, t.Cluster, map[string]any{
		"spec": map[string]any{"configuration": fields}})
	return step.Join(change, edited), err
}

// existingCompanions returns all objects that have the names of companions.
func existingCompanions(ctx context.Context, t service.Tenant, r kube.Reader) ([]client.Object, error) {
	secret, ca := &corev1.Secret{}, &corev1.ConfigMap{}
	secret.TypeMeta, secret.ObjectMeta = service.Meta("Secret", "v1", hostedcluster.IdentityClientName(t.Cluster.Name))
	ca.TypeMeta, ca.ObjectMeta = service.Meta("ConfigMap", "v1", hostedcluster.IdentityCAName(t.Cluster.Name))
	var out []client.Object
	for _, o := range []client.Object{secret, ca} {
		kind := o.GetObjectKind().GroupVersionKind()
		err := r.Get(ctx, client.ObjectKey{Namespace: t.Cluster.Namespace, Name: o.GetName()}, o)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, fmt.Errorf("%s %s/%s: %w", kind.Kind, t.Cluster.Namespace, o.GetName(), err)
		default:
			o.GetObjectKind().SetGroupVersionKind(kind)
			out = append(out, o)
		}
	}
	return out, nil
}

// ownCompanions returns the existing companions that hcctl created.
func ownCompanions(ctx context.Context, t service.Tenant, r kube.Reader) ([]client.Object, error) {
	all, err := existingCompanions(ctx, t, r)
	return slices.DeleteFunc(all, func(o client.Object) bool { return !owned(t, o) }), err
}

func providerRemoved(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	at := "HostedCluster " + kube.Name(t.Cluster)
	fields, err := removed(t.Cluster)
	if err != nil {
		return step.Unknown("%v", err).On("%s", at)
	}
	if fields != nil {
		return step.Missing("it still uses the provider").On("%s", at)
	}
	left, err := ownCompanions(ctx, t, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("%s", at)
	case len(left) > 0:
		return step.Missing("still there").On("%s %s", left[0].GetObjectKind().GroupVersionKind().Kind, kube.Name(left[0]))
	}
	return step.OK("none").On("%s", at)
}

func removeProvider(ctx context.Context, t service.Tenant) (step.Change, error) {
	fields, err := removed(t.Cluster)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	if fields != nil {
		change, err = hostedcluster.Edit(ctx, t.Client, t.Cluster, map[string]any{
			"spec": map[string]any{"configuration": fields}})
		if err != nil {
			return change, err
		}
	}
	left, err := ownCompanions(ctx, t, t.Client)
	if err != nil {
		return change, err
	}
	for _, o := range left {
		gone, err := t.Client.DeleteUnchanged(ctx, o)
		change = step.Join(change, gone)
		if err != nil {
			return change, err
		}
	}
	return change, nil
}
