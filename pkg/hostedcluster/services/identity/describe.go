package identity

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/dex"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// shellWord matches text that is safe in a shell command. Commands with any other text are left out.
var shellWord = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9:/._~@%+,=\[\]-]*$`)

// wiredProvider is a provider that hcctl has configured and the HostedCluster uses.
type wiredProvider struct {
	issuer, cli string
	scopes      []string
	ca, oidc    bool
}

// usedProvider finds hcctl's provider in the HostedCluster, by the Secret of its client or by its name.
func usedProvider(t service.Tenant) (wiredProvider, bool) {
	auth, oauth := existing(t.Cluster)
	client := hostedcluster.IdentityClientName(t.Cluster.Name)
	if auth != nil {
		for _, p := range auth.OIDCProviders {
			u := wiredProvider{issuer: p.Issuer.URL, ca: p.Issuer.CertificateAuthority.Name != "", oidc: true}
			owned := p.Name == "oidc" || p.Name == "dex"
			for _, c := range p.OIDCClients {
				owned = owned || c.ClientSecret.Name == client
				if c.ComponentName == cliComponent {
					u.cli, u.scopes = c.ClientID, c.ExtraScopes
				}
			}
			if owned {
				return u, true
			}
		}
	}
	for _, p := range oauth {
		if p.OpenID != nil && (p.OpenID.ClientSecret.Name == client || p.Name == "oidc" || p.Name == "dex") {
			return wiredProvider{issuer: p.OpenID.Issuer, ca: p.OpenID.CA.Name != ""}, true
		}
	}
	return wiredProvider{}, false
}

// describeProvider describes how users log in.
func describeProvider(_ context.Context, t service.Tenant, _ kube.Reader) (*service.Description, error) {
	u, found := usedProvider(t)
	if !found {
		return nil, nil
	}
	out := &service.Description{State: step.StateOK, Facts: []service.Fact{{Name: "issuer", Value: u.issuer}}}
	endpoint := t.Cluster.Status.ControlPlaneEndpoint
	if endpoint.Host == "" {
		out.State, out.Message = step.StatePending, "the API server has no address yet"
		return out, nil
	}
	api := "https://" + net.JoinHostPort(endpoint.Host, strconv.Itoa(int(endpoint.Port)))
	if !u.oidc {
		out.Facts = append(out.Facts, service.Fact{Name: "login", Value: "the hosted cluster's OAuth server"})
		out.Commands = commands("oc", "login", hint.Flag("web").String(), api)
		return out, nil
	}
	out.Facts = append(out.Facts, service.Fact{Name: "login", Value: "tokens of the issuer"})
	if u.cli == "" {
		return out, nil
	}
	out.Facts = append(out.Facts, service.Fact{Name: "client", Value: u.cli})
	args := []string{"oc", "login", fmt.Sprintf("%s=oc-oidc", hint.Flag("exec-plugin")),
		fmt.Sprintf("%s=%s", hint.Flag("issuer-url"), u.issuer), fmt.Sprintf("%s=%s", hint.Flag("client-id"), u.cli),
		fmt.Sprintf("%s=%s", hint.Flag("extra-scopes"), strings.Join(u.scopes, ",")),
		fmt.Sprintf("%s=8080", hint.Flag("callback-port"))}
	if u.ca {
		ca := hostedcluster.IdentityCAName(t.Cluster.Name)
		out.Commands = commands("oc", "extract", "configmap/"+ca, "-n", t.Cluster.Namespace,
			fmt.Sprintf("%s=%s", hint.Flag("keys"), oidcCAKey))
		args = append(args, fmt.Sprintf("%s=%s", hint.Flag("oidc-certificate-authority"), oidcCAKey))
	}
	out.Commands = append(out.Commands, commands(append(args, api)...)...)
	return out, nil
}

// commands returns one command, or none if a part of it is not safe in a shell.
func commands(args ...string) []string {
	for _, a := range args {
		if !shellWord.MatchString(strings.TrimLeft(a, "-")) {
			return nil
		}
	}
	return []string{strings.Join(args, " ")}
}

// describeDex describes the address of Dex and the expiry of its certificate.
func describeDex(ctx context.Context, t service.Tenant, r kube.Reader) (*service.Description, error) {
	if _, f := t.FindNamespace(ctx, r); f != nil {
		if f.State == step.StateUnknown {
			return nil, fmt.Errorf("%s: %s", f.Object, f.Message)
		}
		return nil, nil
	}
	d, svc, pair := &appsv1.Deployment{}, &corev1.Service{}, &corev1.Secret{}
	for _, one := range []struct {
		name string
		at   client.Object
	}{{dexName, d}, {dexName, svc}, {tlsName, pair}} {
		key := client.ObjectKey{Namespace: t.Namespace(), Name: one.name}
		err := r.Get(ctx, key, one.at)
		if apierrors.IsNotFound(err) || err == nil && !owned(t, one.at) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("Dex %s: %w", key, err)
		}
	}
	out := &service.Description{State: step.StateOK}
	at := kube.LoadBalancerAddress(svc)
	v := health.Of(d, r.Now())
	if out.State, out.Message = v.State, v.Message; at == "" {
		out.State, out.Message = step.StatePending, "has no address yet"
	}
	if u, found := usedProvider(t); found {
		out.Facts = append(out.Facts, service.Fact{Name: "issuer", Value: u.issuer})
		if parsed, err := dex.ParseIssuer(u.issuer); err == nil && net.ParseIP(parsed.Hostname()) == nil {
			out.Facts = append(out.Facts, service.Fact{Name: "DNS record", Value: parsed.Hostname() + " has to lead to " + at})
		}
	}
	out.Facts = append(out.Facts, service.Fact{Name: "address", Value: at},
		service.Fact{Name: "certificate until", Value: until(pair.Data[corev1.TLSCertKey])})
	return out, nil
}

// until returns the day on which a certificate expires.
func until(cert []byte) string {
	if v, err := health.ParseCertificates(cert); err == nil {
		return v.Until.Format(time.DateOnly)
	}
	return "unknown"
}

// providerRights are the RBAC rules of the identity provider.
func providerRights() service.Rights {
	const client, ca = access.Cluster + "-identity-client", access.Cluster + "-identity-ca"
	return service.Rights{
		Check: []access.Rule{
			{Verbs: "get list watch", Resources: "secrets", Names: client, At: access.Clusters,
				Why: "the secret of the cluster's client at its identity provider"},
			{Verbs: "get list watch", Resources: "configmaps", Names: ca, At: access.Clusters,
				Why: "the certificate authorities of the identity provider"},
		},
		Apply: []access.Rule{
			{Verbs: "create patch", Resources: "secrets", Names: client, At: access.Clusters, Why: "makes and changes it"},
			{Verbs: "create patch", Resources: "configmaps", Names: ca, At: access.Clusters, Why: "makes and changes it"},
			{Verbs: "patch", Resources: "hostedclusters.hypershift.openshift.io", Names: access.Cluster, At: access.Clusters,
				Why: "has the cluster use the identity provider"},
		},
		Remove: []access.Rule{
			{Verbs: "delete", Resources: "secrets", Names: client, At: access.Clusters, Why: "removes it"},
			{Verbs: "delete", Resources: "configmaps", Names: ca, At: access.Clusters, Why: "removes it"},
		},
	}
}

// dexRights are the RBAC rules of Dex.
func dexRights() service.Rights {
	const secrets, others = "secrets", "services deployments.apps"
	const its = dexName + " " + tlsName + " " + keysName
	return service.Rights{
		Check: []access.Rule{
			{Verbs: "get list watch", Resources: others, Names: dexName, At: access.Services, Why: "what Dex consists of"},
			{Verbs: "get list watch", Resources: secrets, Names: its, At: access.Services,
				Why: "its configuration, certificate and keys"},
			{Verbs: "get list watch", Resources: "secrets", Names: access.Cluster + "-dex-tls", At: access.Clusters,
				Why: fmt.Sprintf("%s, under this name: Dex's certificate", hint.Flag("dex-tls-secret"))},
		},
		Apply: []access.Rule{
			{Verbs: "create", Resources: secrets, Only: its, At: access.Services, Why: "the keys that hcctl makes for Dex"},
			{Verbs: "create patch", Resources: others, Names: dexName, At: access.Services, Why: "makes and changes Dex"},
			{Verbs: "patch", Resources: secrets, Names: its, At: access.Services, Why: "makes and changes what it reads"},
		},
		Remove: []access.Rule{
			{Verbs: "delete", Resources: others, Names: dexName, At: access.Services,
				Why: "removes it where other services stay"},
			{Verbs: "delete", Resources: secrets, Names: its, At: access.Services, Why: "the same"},
		},
	}
}
