package jumphost

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/step"
)

// ID is the step ID of --jump-host.
const ID step.ID = "services/jump-host"

// The names of the objects. hostKeySecret has the host key, which never changes. keysSecret has the users' public keys.
const (
	name          = "jump-host"
	hostKeySecret = name + "-host-key"
	keysSecret    = name + "-keys"
)

// Service is the service of --jump-host.
func Service() service.Service {
	return service.Service{
		ID: ID, Title: "jump host", Page: "docs/services.md",
		For:   func(o options.Validated) bool { return o.TenantServices.JumpHost != nil },
		Check: check, Apply: apply, Refuse: refuse,
		Removed: func(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
			return t.RemovedOutside(ctx, r, refs()...)
		},
		Remove: func(ctx context.Context, t service.Tenant) (step.Change, error) {
			return t.RemoveOutside(ctx, refs()...)
		},
		Describe: describe, Rights: rights(),
	}
}

func check(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	if _, f := t.FindNamespace(ctx, r); f != nil {
		return *f
	}
	all, f := wanted(ctx, t, r)
	if f != nil {
		return *f
	}
	if f := t.CheckOutside(ctx, r, all); f != nil {
		return *f
	}
	at, f := t.Address(ctx, r, name, t.Options.TenantServices.JumpHost.Address)
	switch {
	case t.WriteOnly && f != nil && f.State == step.StatePending:
		return step.OK("written").On("Namespace %s", t.Namespace())
	case f != nil:
		return *f
	}
	return step.OK("at %s, port %d", at, t.Options.TenantServices.JumpHost.Port).On("Service %s/%s", t.Namespace(), name)
}

func apply(ctx context.Context, t service.Tenant) (step.Change, error) {
	made, err := t.MakeNamespace(ctx)
	if err != nil {
		return made, err
	}
	secret, err := newHostKey()
	if err != nil {
		return made, err
	}
	kept, err := t.Keep(ctx, name, secret)
	made = step.Join(made, kept)
	if err != nil {
		return made, err
	}
	all, f := wanted(ctx, t, t.Client)
	if f != nil {
		return made, fmt.Errorf("%s: %s", f.Object, f.Message)
	}
	written, err := t.ApplyOutside(ctx, all)
	return step.Join(made, written), err
}

// wanted returns the wanted objects. It needs the namespace, the host key and the users' public keys.
func wanted(ctx context.Context, t service.Tenant, r kube.Reader) (manifests.List, *step.Finding) {
	ns, f := t.FindNamespace(ctx, r)
	if f != nil {
		return nil, f
	}
	public, f := hostKey(ctx, t, r)
	if f != nil {
		return nil, f
	}
	keys, f := authorizedKeys(ctx, t, r)
	if f != nil {
		return nil, f
	}
	pool, err := t.PoolName(ctx)
	if err != nil {
		f := kube.Unknown(err).On("IPAddressPools")
		return nil, &f
	}
	all, err := t.Objects(name, objects(t, settings{user: service.UserID(ns, plainUser), hostKey: public, keys: keys,
		pool: pool})...)
	if err != nil {
		f := step.Broken("its objects cannot be written: %v", err).On("Namespace %s", ns.Name)
		return nil, &f
	}
	return all, nil
}

// authorizedKeys returns the users' public keys, from the options or from the Secret in the options.
func authorizedKeys(ctx context.Context, t service.Tenant, r kube.Reader) ([]byte, *step.Finding) {
	j := t.Options.TenantServices.JumpHost
	if j.AuthorizedKeysSecret == "" {
		return j.AuthorizedKeys, nil
	}
	key := client.ObjectKey{Namespace: t.Cluster.Namespace, Name: j.AuthorizedKeysSecret}
	secret := &corev1.Secret{}
	absent := step.Broken("does not exist").WithHint("oc create secret generic %s -n %s --from-file %s=FILE", key.Name,
		key.Namespace, options.AuthorizedKeysKey)
	f := service.Look(ctx, r, "Secret", key, secret, absent, func() *step.Finding {
		err := options.ParseAuthorizedKeys(secret.Data[options.AuthorizedKeysKey])
		if err == nil {
			return nil
		}
		f := step.Broken("%s: %v", options.AuthorizedKeysKey, err)
		return &f
	})
	return secret.Data[options.AuthorizedKeysKey], f
}

// refuse returns an error if no user could log in, or if the pool does not have the address.
func refuse(ctx context.Context, t service.Tenant, r kube.Reader) error {
	j := t.Options.TenantServices.JumpHost
	_, f := authorizedKeys(ctx, t, r)
	return errors.Join(service.Refusal("services.jumpHost.authorizedKeysSecret", j.AuthorizedKeysSecret, f),
		t.RefuseAddress(ctx, "services.jumpHost.address", j.Address))
}

// owned reports whether an object in the namespace belongs to this service, and was not created by a user.
func owned(t service.Tenant, o client.Object) bool {
	return o.GetLabels()[hostedcluster.ServiceLabel] == name && hostedcluster.MarkOf(o).UID == t.Cluster.UID
}
