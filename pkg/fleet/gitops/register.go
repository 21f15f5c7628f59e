package gitops

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// secretTypeLabel makes a Secret a cluster of Argo CD (contracts/gitops.yaml).
	secretTypeLabel = "argocd.argoproj.io/secret-type" //nolint:gosec // the name of a label
	// IssuedAnnotation is the annotation with the time when the token was issued, in RFC 3339.
	IssuedAnnotation = "hcctl.dev/token-issued"

	// account is the ServiceAccount in the hosted cluster, with the name that argocd cluster add uses.
	accountNamespace, account = "kube-system", "argocd-manager"
	// accountBinding has a name of hcctl's own, so that hcctl does not change a foreign binding.
	accountBinding = "hcctl-argocd-manager"

	// ShortestLifetime is the minimum lifetime of a token.
	ShortestLifetime = time.Hour
	// MaxLifetime is the maximum lifetime of a token, a year.
	MaxLifetime = 365 * 24 * time.Hour
)

// Registration makes a hosted cluster one of Argo CD's clusters, without a hub.
type Registration struct {
	// ArgoNamespace is the namespace of Argo CD.
	ArgoNamespace string
	// ClusterRole is the role of Argo CD in the hosted cluster.
	ClusterRole string
	// Lifetime is the requested lifetime of the token; the API server may shorten it. The token is renewed when
	// less than a third of its actual lifetime is left.
	Lifetime time.Duration
}

// Steps returns the step for one hosted cluster: Argo CD has a Secret for it with a token that does not expire
// soon.
func (r Registration) Steps(c *kube.Client, hc *hyperv1.HostedCluster) []step.Step {
	return []step.Step{{
		ID: step.ID("gitops/" + SecretName(hc)), Title: "Argo CD's Secret for " + Named(hc), Group: "gitops",
		Subject: kube.Name(hc),
		Check: c.Reading(func(ctx context.Context, reader kube.Reader) step.Finding {
			return r.check(ctx, reader, hc)
		}),
		Apply: func(ctx context.Context) (step.Change, error) { return r.apply(ctx, c, hc) },
	}}
}

// SecretName returns the name of Argo CD's Secret for a hosted cluster.
func SecretName(hc *hyperv1.HostedCluster) string {
	return hostedcluster.ArgoCDSecretName(hc.Namespace, hc.Name)
}

// clusterName returns Argo CD's name for the hosted cluster.
func clusterName(hc *hyperv1.HostedCluster) string { return hc.Namespace + "." + hc.Name }

func (r Registration) check(ctx context.Context, reader kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	secret := &corev1.Secret{}
	key := client.ObjectKey{Namespace: r.ArgoNamespace, Name: SecretName(hc)}
	err := reader.Get(ctx, key, secret)
	f := r.judge(secret, err, hc, reader.Now())
	return f.On("Secret %s", key)
}

func (r Registration) judge(secret *corev1.Secret, err error, hc *hyperv1.HostedCluster, now time.Time) step.Finding {
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist")
	case err != nil:
		return kube.Unknown(err)
	case secret.Labels[kube.ManagedByLabel] != kube.FieldOwner ||
		secret.Annotations[hostedcluster.ClusterAnnotation] != kube.Name(hc):
		return step.Broken("hcctl did not make it, and does not change it").
			WithHint("if nobody needs it: oc delete secret %s -n %s", secret.Name, secret.Namespace)
	}
	end, err := time.Parse(time.RFC3339, secret.Annotations[hostedcluster.TokenExpiresAnnotation])
	switch {
	case secret.Annotations[hostedcluster.ClusterUIDAnnotation] != string(hc.UID):
		return step.Missing("it is of an earlier hosted cluster of that name")
	case err != nil:
		return step.Missing("it does not say how long its token is valid")
	case !end.After(now):
		return step.Missing("its token ended at %s", end.UTC().Format(time.RFC3339))
	case end.Sub(now) < r.lifetimeOf(secret, end)/3:
		return step.Missing("its token ends at %s, and less than a third of its life is left", end.UTC().Format(time.RFC3339))
	case string(secret.Data["server"]) != server(hc):
		return step.Missing("it has another address than the hosted cluster")
	}
	for name, value := range r.labels(hc) {
		if secret.Labels[name] != value {
			return step.Missing("label %s is not that of the hosted cluster", name)
		}
	}
	return step.OK("its token is valid until %s", end.UTC().Format(time.RFC3339))
}

// lifetimeOf returns the whole lifetime of a Secret's token. An API server may shorten the requested Lifetime
// (--service-account-max-token-expiration); compared with Lifetime, such a token would always be about to
// expire.
func (r Registration) lifetimeOf(secret *corev1.Secret, end time.Time) time.Duration {
	issued, err := time.Parse(time.RFC3339, secret.Annotations[IssuedAnnotation])
	if err != nil || !issued.Before(end) {
		return r.Lifetime
	}
	return min(r.Lifetime, end.Sub(issued))
}

// server returns the URL of the API server, or "" before there is one.
func server(hc *hyperv1.HostedCluster) string {
	e := hc.Status.ControlPlaneEndpoint
	if e.Host == "" {
		return ""
	}
	return fmt.Sprintf("https://%s:%d", e.Host, e.Port)
}

// Named returns a hosted cluster with the labels by which Argo CD will select its content. Any writer of the
// HostedCluster can set them, so the user sees them before Argo CD does.
func Named(hc *hyperv1.HostedCluster) string {
	own := ownLabels(hc)
	if len(own) == 0 {
		return kube.Name(hc)
	}
	return fmt.Sprintf("%s (%s)", kube.Name(hc), labels.Set(own))
}

// ownLabels returns the labels of a hosted cluster that users have set. Labels with a domain are those of
// operators.
func ownLabels(hc *hyperv1.HostedCluster) map[string]string {
	all := map[string]string{}
	for name, value := range hc.Labels {
		if !strings.Contains(name, "/") {
			all[name] = value
		}
	}
	return all
}

// labels returns the users' labels of the hosted cluster, so that generators can select by them, and the labels
// of hcctl and Argo CD.
func (r Registration) labels(hc *hyperv1.HostedCluster) map[string]string {
	all := ownLabels(hc)
	maps.Copy(all, map[string]string{secretTypeLabel: "cluster", kube.ManagedByLabel: kube.FieldOwner,
		hostedcluster.InfraLabel: hc.Spec.InfraID})
	return all
}

// apply creates the account in the hosted cluster, requests a token and writes the Secret. A plan requests no
// token.
func (r Registration) apply(ctx context.Context, c *kube.Client, hc *hyperv1.HostedCluster) (step.Change, error) {
	if server(hc) == "" {
		return "", fmt.Errorf("HostedCluster %s has no address yet: %s", kube.Name(hc),
			hint.Run("wait cluster", hc.Name).Flag("n", hc.Namespace).Flag("for", "api"))
	}
	access, err := guest.Access(ctx, c, hc)
	if err != nil {
		return "", err
	}
	issued := c.Now()
	token, end := "planned", issued.Add(r.Lifetime)
	if !c.IsPlanning() {
		hosted, err := guest.Reach(c, access, client.ObjectKeyFromObject(hc))
		if err != nil {
			return "", err
		}
		if token, end, err = r.token(ctx, hosted); err != nil {
			return "", err
		}
	}
	config, err := json.Marshal(map[string]any{"bearerToken": token,
		"tlsClientConfig": map[string]any{"caData": base64.StdEncoding.EncodeToString(access.RESTConfig().CAData)}})
	if err != nil {
		return "", err
	}
	secret := &unstructured.Unstructured{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	secret.SetNamespace(r.ArgoNamespace)
	secret.SetName(SecretName(hc))
	secret.SetLabels(r.labels(hc))
	secret.SetAnnotations(map[string]string{hostedcluster.TokenExpiresAnnotation: end.UTC().Format(time.RFC3339),
		IssuedAnnotation: issued.UTC().Format(time.RFC3339)})
	// The deletion of the hosted cluster finds the Secret by this mark.
	hostedcluster.MarkFor(hc).SetOn(secret)
	data := map[string]any{}
	for key, value := range map[string]string{"name": clusterName(hc), "server": server(hc),
		"config": string(config)} {
		data[key] = base64.StdEncoding.EncodeToString([]byte(value))
	}
	secret.Object["data"] = data
	return c.Apply(ctx, secret)
}

// token creates the ServiceAccount with its role, and requests a token that is bound to it: the token ends with
// the account.
func (r Registration) token(ctx context.Context, hosted *kube.Client) (string, time.Time, error) {
	sa := kube.ServiceAccount.New()
	sa.SetNamespace(accountNamespace)
	sa.SetName(account)
	binding := kube.ClusterRoleBinding.New()
	binding.SetName(accountBinding)
	binding.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
		"name": r.ClusterRole}
	binding.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "namespace": accountNamespace,
		"name": account}}
	for _, u := range []*unstructured.Unstructured{sa, binding} {
		if _, err := hosted.Apply(ctx, u); err != nil {
			return "", time.Time{}, fmt.Errorf("in the hosted cluster: %s %s: %w", u.GetKind(), kube.Name(u), err)
		}
	}
	request := &unstructured.Unstructured{Object: map[string]any{
		"spec": map[string]any{"expirationSeconds": int64(r.Lifetime / time.Second)}}}
	request.SetAPIVersion("authentication.k8s.io/v1")
	request.SetKind("TokenRequest")
	if err := hosted.CreateSubresource(ctx, sa, "token", request); err != nil {
		return "", time.Time{}, fmt.Errorf("in the hosted cluster: a token for ServiceAccount %s: %w", kube.Name(sa), err)
	}
	end, err := time.Parse(time.RFC3339, kube.Text(request, "status", "expirationTimestamp"))
	token := kube.Text(request, "status", "token")
	if err != nil || token == "" {
		return "", time.Time{}, fmt.Errorf("in the hosted cluster: ServiceAccount %s got no token with an end", kube.Name(sa))
	}
	return token, end, nil
}
