package identity

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster/dex"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/step"
)

// DexID is the step ID of --dex.
const DexID step.ID = "services/dex"

// Dex is the service of --dex. It does not wait for the hosted API server, because that may need Dex.
func Dex() service.Service {
	return service.Service{
		ID: DexID, Title: "Dex", Page: page, Early: true, After: []step.ID{ID},
		For: func(o options.Validated) bool {
			return o.TenantServices.Dex != nil && o.TenantServices.Dex.Config.Given()
		},
		Check: checkDex, Apply: applyDex,
		Removed: func(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
			return t.RemovedOutside(ctx, r, refs()...)
		},
		Remove: func(ctx context.Context, t service.Tenant) (step.Change, error) {
			return t.RemoveOutside(ctx, refs()...)
		},
		Describe: describeDex, Rights: dexRights(),
	}
}

func checkDex(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	all, f := wantedDex(ctx, t, r)
	if f != nil {
		return *f
	}
	if f := t.CheckOutside(ctx, r, all); f != nil {
		return *f
	}
	_, f = t.Address(ctx, r, dexName, t.Options.TenantServices.Dex.Address)
	if f != nil && (!t.WriteOnly || f.State != step.StatePending) {
		return *f
	}
	return step.OK("%s", t.Options.TenantServices.Identity.Issuer).On("Deployment %s/%s", t.Namespace(), dexName)
}

func applyDex(ctx context.Context, t service.Tenant) (step.Change, error) {
	made, err := keepKeys(ctx, t)
	if err != nil {
		return made, err
	}
	all, f := wantedDex(ctx, t, t.Client)
	if f != nil {
		return made, fmt.Errorf("%s: %s", f.Object, f.Message)
	}
	written, err := t.ApplyOutside(ctx, all)
	return step.Join(made, written), err
}

// wantedDex returns the wanted objects of Dex.
func wantedDex(ctx context.Context, t service.Tenant, r kube.Reader) (manifests.List, *step.Finding) {
	ns, f := t.FindNamespace(ctx, r)
	if f != nil {
		return nil, f
	}
	k, f := readKeys(ctx, t, r)
	if f != nil {
		return nil, f
	}
	clients, f := dexClients(t, string(k.consoleSecret))
	if f != nil {
		return nil, f
	}
	s := settings{user: service.UserID(ns, dexUser), needsSession: t.Options.TenantServices.Dex.Config.NeedsSessions()}
	if s.cert, s.key, f = certificate(ctx, t, r, k); f != nil {
		return nil, f
	}
	var err error
	if s.pool, err = t.PoolName(ctx); err != nil {
		f := kube.Unknown(err).On("IPAddressPools")
		return nil, &f
	}
	s.config, err = t.Options.TenantServices.Dex.Config.Render(dex.Deployment{Listen: listen(),
		Cert: tlsDirectory + "/" + corev1.TLSCertKey, Key: tlsDirectory + "/" + corev1.TLSPrivateKeyKey, Clients: clients})
	if err == nil {
		var all manifests.List
		if all, err = t.Objects(dexName, dexObjects(t, s)...); err == nil {
			return all, nil
		}
	}
	broken := step.Broken("Dex's objects cannot be written: %v", err).On("Namespace %s", ns.Name)
	return nil, &broken
}

// serves returns an error if the certificate in a Secret cannot be used by a server with this host name.
func serves(s *corev1.Secret, host string, now time.Time) error {
	pair, err := tls.X509KeyPair(s.Data[corev1.TLSCertKey], s.Data[corev1.TLSPrivateKeyKey])
	switch {
	case err != nil:
		return fmt.Errorf("its %s and %s are no certificate and its key", corev1.TLSCertKey, corev1.TLSPrivateKeyKey)
	case pair.Leaf.VerifyHostname(host) != nil:
		return fmt.Errorf("its certificate is not for %s, the host in Dex's issuer", host)
	}
	if v := health.Certificate(s.Data[corev1.TLSCertKey], now); v.State != step.StateOK && v.State != step.StateWarning {
		return errors.New("its certificate " + v.Message)
	}
	return nil
}
