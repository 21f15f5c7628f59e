package expiry

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Annotations by which a certificate in the control plane's namespace is known to be renewed by an operator:
// HyperShift's (support/certs, CAHashAnnotation) and its control-plane-pki-operator's.
const (
	signedAnnotation  = "hypershiftlite.openshift.io/ca-hash"
	rotatedAnnotation = "auth.openshift.io/certificate-not-after"
)

// maxNamed is how many certificates that a HostedCluster names are read.
const maxNamed = 20

// ingressNamespace is where the default IngressController's certificate is.
const ingressNamespace = "openshift-ingress"

// Of reads and judges all that ends of a hosted cluster, in the order of Classes. It takes four requests on the
// management cluster, one more for each certificate that the HostedCluster names, one more if the cluster has services,
// and more where lists have more pages. With inside it asks the hosted API server as well: two requests. What cannot
// be read is an item that says so. There are none of a cluster that is being deleted.
func Of(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, inside bool) []*Item {
	if hc.DeletionTimestamp != nil {
		return nil
	}
	var wg sync.WaitGroup
	var parts [5][]*Item
	for i, read := range []func(context.Context, kube.Reader, *hyperv1.HostedCluster) []*Item{
		func(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) []*Item {
			return entrance(ctx, r, hc, inside)
		}, named, dex, argoCD, controlPlane,
	} {
		wg.Go(func() { parts[i] = read(ctx, r, hc) })
	}
	wg.Wait()
	var all []*Item
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

// entrance judges the administrator's kubeconfig, and what is seen with it.
func entrance(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, inside bool) []*Item {
	access, err := guest.Access(ctx, r, hc)
	name := ""
	if k := hc.Status.KubeConfig; k != nil {
		name = k.Name
	}
	if errors.Is(err, guest.ErrNoKubeconfig) {
		return []*Item{item(Kubeconfig, "Secret", name, time.Time{},
			health.Verdict{Finding: step.Unknown("is not published yet")})}
	}
	if err != nil {
		return []*Item{unread(Kubeconfig, "Secret", name, hc, err)}
	}
	out := []*Item{kubeconfig(name, hc, access, r.Now())}
	if inside {
		out = append(out, served(ctx, r, hc, access, r.Now())...)
	}
	return out
}

// kubeconfig judges the client certificate of the administrator's kubeconfig.
func kubeconfig(name string, hc *hyperv1.HostedCluster, access *adminkubeconfig.Access, now time.Time) *Item {
	v, err := health.ParseCertificates(access.Certificate())
	if err != nil {
		return item(Kubeconfig, "Secret", name, time.Time{}, health.Verdict{Finding: step.Unknown("is a token, whose end " +
			"is not known")})
	}
	return renewed(item(Kubeconfig, "Secret", name, v.Until, v.JudgeRenewed(now)), hc, now)
}

// served judges what the hosted API server shows, and the certificate of its *.apps.
func served(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, access *adminkubeconfig.Access,
	now time.Time) []*Item {
	hosted, peer, err := guest.ClientShowing(r, access, client.ObjectKeyFromObject(hc))
	if err != nil {
		return []*Item{unread(APIServer, "HostedCluster", hc.Name, hc, err)}
	}
	ic, err := kube.ReadDefaultIngress(ctx, hosted)
	shown, ok := peer.Validity()
	out := []*Item{renewed(item(APIServer, "HostedCluster", hc.Name, shown.Until, shown.JudgeRenewed(now)), hc, now)}
	if !ok {
		out[0] = unread(APIServer, "HostedCluster", hc.Name, hc, err)
	}
	name := ic.Spec.DefaultCertificate.Name
	switch {
	case apierrors.IsNotFound(err), err == nil && name == "":
		return out
	case err != nil:
		return append(out, unread(Ingress, "IngressController", kube.IngressControllerName, hc, err))
	}
	secret := &corev1.Secret{}
	if err := hosted.Get(ctx, client.ObjectKey{Namespace: ingressNamespace, Name: name}, secret); err != nil {
		return append(out, unread(Ingress, "Secret", name, hc, err))
	}
	one := certificates(Ingress, name, secret.Data[corev1.TLSCertKey], hosted.Now())
	if one.Bad() {
		one.Hint = hint.New("put a new one into Secret %s of namespace %s in the hosted cluster: %s", name, ingressNamespace,
			hint.Run("exec", hostedcluster.Argument(hc.Namespace, hc.Name)))
	}
	return append(out, one)
}

// named judges the certificates that the HostedCluster names for its API server.
func named(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) []*Item {
	c := hc.Spec.Configuration
	if c == nil || c.APIServer == nil {
		return nil
	}
	var names []string
	for _, n := range c.APIServer.ServingCerts.NamedCertificates {
		if name := n.ServingCertificate.Name; name != "" && !slices.Contains(names, name) && len(names) < maxNamed {
			names = append(names, name)
		}
	}
	out := make([]*Item, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() {
			secret := &corev1.Secret{}
			if err := r.Get(ctx, client.ObjectKey{Namespace: hc.Namespace, Name: name}, secret); err != nil {
				out[i] = unread(Named, "Secret", name, hc, err)
				return
			}
			out[i] = certificates(Named, name, secret.Data[corev1.TLSCertKey], r.Now())
			if out[i].Bad() {
				out[i].Hint = hint.New("put a new one into Secret %s/%s", hc.Namespace, name)
			}
		})
	}
	wg.Wait()
	return out
}

// dex judges the certificate of the cluster's Dex by what hcctl has noted on its Deployment.
func dex(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) []*Item {
	list := &appsv1.DeploymentList{}
	at := hostedcluster.ServicesNamespace(hc.Namespace, hc.Name)
	err := r.Get(ctx, client.ObjectKey{Name: at}, &corev1.Namespace{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err == nil {
		err = r.List(ctx, list, client.InNamespace(at), client.HasLabels{hostedcluster.ServiceLabel})
	}
	if err != nil {
		return []*Item{unread(Dex, "Deployment", "dex", hc, err)}
	}
	var out []*Item
	for i := range list.Items {
		d := &list.Items[i]
		until, err := time.Parse(time.RFC3339, d.Annotations[hostedcluster.CertificateUntilAnnotation])
		if err != nil || ofAnother(d, hc) {
			continue
		}
		one := judged(Dex, "Deployment", d.Name, health.Validity{Until: until.UTC()}, r.Now())
		if one.Bad() {
			one.Hint = RenewDex(hc.Namespace, d)
		}
		out = append(out, one)
	}
	return out
}

// argoCD judges the token in Argo CD's Secret for the cluster, by what hcctl has noted on it: its content is not read.
func argoCD(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) []*Item {
	secret := &metav1.PartialObjectMetadata{}
	secret.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
	name := hostedcluster.ArgoCDSecretName(hc.Namespace, hc.Name)
	err := r.Get(ctx, client.ObjectKey{Namespace: kube.GitOpsNamespace, Name: name}, secret)
	switch {
	case apierrors.IsNotFound(err), apierrors.IsForbidden(err) &&
		apierrors.IsNotFound(r.Get(ctx, client.ObjectKey{Name: kube.GitOpsNamespace}, &corev1.Namespace{})):
		return nil // Nobody has a Role in a namespace that does not exist.
	case err != nil:
		return []*Item{unread(ArgoCD, "Secret", name, hc, err)}
	case secret.Labels[kube.ManagedByLabel] != kube.FieldOwner || ofAnother(secret, hc):
		return nil // Whoever made it looks after it.
	}
	until, err := time.Parse(time.RFC3339, secret.Annotations[hostedcluster.TokenExpiresAnnotation])
	if err != nil {
		until = time.Time{}
	}
	one := judged(ArgoCD, "Secret", name, health.Validity{Until: until.UTC()}, r.Now())
	if one.Bad() {
		one.Hint = hint.New("%s, renews it", hint.Run("gitops register", hostedcluster.Argument(hc.Namespace, hc.Name)))
	}
	return []*Item{one}
}

// ofAnother reports whether an object is marked as that of another cluster, such as an earlier one of the same name.
func ofAnother(o client.Object, hc *hyperv1.HostedCluster) bool {
	mark := hostedcluster.MarkOf(o)
	return mark.UID != "" && mark.UID != hc.UID
}

// controlPlane judges the certificates in the Secrets of the control plane's namespace.
func controlPlane(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) []*Item {
	at := hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name)
	var out []*Item
	list := &corev1.SecretList{}
	err := r.ListPages(ctx, list, func() {
		for i := range list.Items {
			if one, is := ofControlPlane(&list.Items[i], hc, r.Now()); is {
				out = append(out, one)
			}
		}
	}, client.InNamespace(at))
	if err != nil {
		return []*Item{unread(ControlPlane, "Secrets", at, hc, err)}
	}
	return out
}

// ofControlPlane judges a Secret of the control plane's namespace; false if it has no certificate.
func ofControlPlane(s *corev1.Secret, hc *hyperv1.HostedCluster, now time.Time) (*Item, bool) {
	data := s.Data[corev1.TLSCertKey]
	if len(data) == 0 && slices.Contains(hostedcluster.ControlPlaneKeys(), s.Name) {
		data = s.Data["ca.crt"]
	}
	if len(data) == 0 {
		return nil, false
	}
	one := certificates(ControlPlane, s.Name, data, now)
	for _, by := range []string{signedAnnotation, rotatedAnnotation} {
		if _, is := s.Annotations[by]; is && !one.Until.IsZero() {
			v, _ := health.ParseCertificates(data)
			return renewed(item(ControlPlane, "Secret", s.Name, v.Until, v.JudgeRenewed(now)), hc, now), true
		}
	}
	if one.Bad() && slices.Contains(hostedcluster.ControlPlaneKeys(), s.Name) {
		one.Hint = hint.New("HyperShift makes it once and never again: see docs/rotation.md")
	}
	return one, true
}

// renewed marks what HyperShift renews by itself, and says why it may not have.
func renewed(i *Item, hc *hyperv1.HostedCluster, now time.Time) *Item {
	i.Renewed = true
	if i.State != step.StateWarning && i.State != step.StateFailing {
		return i
	}
	i.Message += ", and its operator has not renewed it"
	i.Hint = hint.New("that of the control plane renews it, unless it is down: oc -n %s get deployment "+
		"control-plane-operator", hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name))
	if hostedcluster.PauseOf(hc.Spec.PausedUntil, now).Active {
		i.Hint = hint.New("nothing is renewed while the cluster is paused: %s",
			hint.Run("resume", hostedcluster.Argument(hc.Namespace, hc.Name)))
	}
	return i
}
