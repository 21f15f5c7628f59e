package expiry

import (
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Class is what ends, as a label of the exporter's metric.
type Class string

// The classes.
const (
	Kubeconfig   Class = "admin-kubeconfig"
	APIServer    Class = "api-server"
	Named        Class = "named-certificate"
	Ingress      Class = "ingress"
	Dex          Class = "dex"
	ArgoCD       Class = "argocd-token"
	ControlPlane Class = "control-plane"
)

// Classes are all classes, in the order in which they are shown.
func Classes() []Class {
	return []Class{Kubeconfig, APIServer, Ingress, Named, Dex, ArgoCD, ControlPlane}
}

var titles = map[Class]string{
	Kubeconfig: "the administrator's client certificate", APIServer: "the API server's certificate",
	Named: "a certificate of the API server that was given", Ingress: "the certificate of *.apps",
	Dex: "Dex' certificate", ArgoCD: "Argo CD's token", ControlPlane: "a certificate of the control plane",
}

// Title is the class for a user.
func (c Class) Title() string { return titles[c] }

// Item is one thing that ends, or that could not be looked at.
type Item struct {
	Class Class
	// Kind and Name are the object that holds it.
	Kind, Name string
	health.Verdict
	// Until is when it ends; zero if that is not known.
	Until time.Time
	// Unread is whether its object could not be read.
	Unread bool
	// Renewed is whether an operator renews it by itself.
	Renewed bool
}

// Bad reports whether it has ended, ends soon or is not known.
func (i *Item) Bad() bool { return i.State != step.StateOK }

// First returns what ends first; nil if no end is known.
func First(items []*Item) *Item {
	var first *Item
	for _, i := range items {
		if !i.Until.IsZero() && (first == nil || i.Until.Before(first.Until)) {
			first = i
		}
	}
	return first
}

// unread is an item whose object could not be read.
func unread(class Class, kind, name string, hc *hyperv1.HostedCluster, err error) *Item {
	v := health.Verdict{Finding: step.Unknown("%s: %s", class.Title(), kube.Explain(err))}
	if apierrors.IsForbidden(err) {
		role := hint.Run("rbac").Flag("for", "viewer,expiry").Flag("namespace", hc.Namespace).Flag("cluster-name", hc.Name)
		switch class {
		case Named: // A user gives it any name, which no role for one cluster knows.
			role = hint.Run("rbac").Flag("for", "viewer,expiry").Flag("all-namespaces")
		case ArgoCD:
			role = role.Flag("with", "gitops")
		default:
		}
		v.Hint = hint.New("a role that may: %s", role)
	}
	return &Item{Class: class, Kind: kind, Name: name, Verdict: v, Unread: true}
}

// judged is an item with its dates.
func judged(class Class, kind, name string, v health.Validity, now time.Time) *Item {
	return item(class, kind, name, v.Until, v.Judge(now))
}

// item is an item with a verdict whose message is about its object.
func item(class Class, kind, name string, until time.Time, verdict health.Verdict) *Item {
	verdict.Message = class.Title() + " " + verdict.Message
	return &Item{Class: class, Kind: kind, Name: name, Verdict: verdict, Until: until}
}

// certificates judges the certificates in a Secret.
func certificates(class Class, name string, data []byte, now time.Time) *Item {
	v, err := health.ParseCertificates(data)
	if err != nil {
		return &Item{Class: class, Kind: "Secret", Name: name,
			Verdict: health.Verdict{Finding: step.Unknown("%s: %s", class.Title(), err)}}
	}
	return judged(class, "Secret", name, v, now)
}

// RenewDex says how Dex' certificate is renewed. namespace is that of the HostedCluster.
func RenewDex(namespace string, d *appsv1.Deployment) hint.Text {
	again := hint.New("%s, or the command that created the cluster", hint.Run("apply").Flag("f", "FILE"))
	if from := d.Annotations[hostedcluster.CertificateFromAnnotation]; from != "" {
		return hint.New("put a new one into Secret %s/%s, then: %s", namespace, sanitize.Word(from), again)
	}
	return hint.New("%s, renews it", again)
}
