package identity

import (
	"context"
	"errors"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// refuseProvider returns what the provider needs and does not find: the Secrets in the options, and free names for its
// own objects.
func refuseProvider(ctx context.Context, t service.Tenant, r kube.Reader) error {
	i, d, at := t.Options.TenantServices.Identity, t.Options.TenantServices.Dex, t.Cluster.Namespace
	var errs []error
	if d != nil && d.TLSSecret != "" {
		_, f := givenCertificate(ctx, t, r)
		errs = append(errs, service.Refusal("services.dex.tlsSecret", d.TLSSecret, f))
	}
	if d != nil {
		errs = append(errs, t.RefuseAddress(ctx, "services.dex.address", d.Address))
	}
	if i.SecretName != "" {
		f := checkClientSecret(ctx, r, client.ObjectKey{Namespace: at, Name: i.SecretName})
		errs = append(errs, service.Refusal("services.oidc.clientSecretName", i.SecretName, f))
	}
	left, err := existingCompanions(ctx, t, r)
	if err != nil {
		return err
	}
	for _, o := range left {
		if !owned(t, o) {
			f := notOwned().On("%s %s", o.GetObjectKind().GroupVersionKind().Kind, kube.Name(o))
			errs = append(errs, service.Refusal("services.identity.type", i.Type, &f))
		}
	}
	return errors.Join(errs...)
}

// wires returns what the provider changes in the HostedCluster.
func wires(t service.Tenant) (service.Wiring, error) {
	i, d := t.Options.TenantServices.Identity, t.Options.TenantServices.Dex
	out := service.Wiring{Field: "services.identity.type", Value: i.Type}
	if i.Type == options.IdentityOIDC {
		out.Instead = "use oauth, or"
	}
	n := names{secret: i.SecretName}
	if n.secret == "" {
		n.secret = hostedcluster.IdentityClientName(t.Cluster.Name)
	}
	if d != nil || len(i.CA) > 0 {
		n.ca = hostedcluster.IdentityCAName(t.Cluster.Name)
	}
	fields, err := configuration(i, t.Cluster, n)
	if err != nil {
		f := step.Broken("%v", err).On("HostedCluster %s", kube.Name(t.Cluster))
		return out, service.Refusal(out.Field, i.Type, &f)
	}
	if !wired(t.Cluster, fields) {
		out.Configuration = fields
	}
	return out, nil
}
