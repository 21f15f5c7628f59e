package cluster

import (
	"context"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Proxy is the prerequisite of this file.
const Proxy step.ID = "cluster/proxy"

const (
	proxyObject = "Proxy cluster"
	// trustedKey is the key of the certificates in the ConfigMap of a Proxy's trustedCA.
	trustedKey = "ca-bundle.crt"
	// configNamespace is the namespace of the ConfigMaps and Secrets that kinds of config.openshift.io name.
	configNamespace = "openshift-config"
)

// clusterProxy checks that the certificates exist with which the cluster trusts its proxy. Without them its operators
// pull nothing through a proxy that intercepts TLS.
type clusterProxy struct{}

func (s clusterProxy) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Proxy, Title: "proxy", Severity: step.Advisory,
		Check: s.check,
		Rights: prereq.Rights{Check: []access.Rule{prereq.ReadConfig("proxies.config.openshift.io"),
			readCertificates()}},
		Preflight: &prereq.Preflight{},
	}
}

func (s clusterProxy) check(ctx context.Context, r kube.Reader) step.Finding {
	proxy := &configv1.Proxy{}
	err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, proxy)
	name := proxy.Spec.TrustedCA.Name
	switch {
	case err != nil && !apierrors.IsNotFound(err):
		return kube.Unknown(err).On(proxyObject)
	case name == "" && proxy.Spec.HTTPProxy == "" && proxy.Spec.HTTPSProxy == "":
		return step.OK("none").On(proxyObject)
	case name == "":
		return step.OK("spec.trustedCA is not set, so the proxy's certificate must be one that is trusted anyway").
			On(proxyObject)
	}
	certificates := &corev1.ConfigMap{}
	err = r.Get(ctx, types.NamespacedName{Namespace: configNamespace, Name: name}, certificates)
	var problem string
	switch {
	case apierrors.IsNotFound(err):
		problem = "does not exist"
	case err != nil:
		return kube.Unknown(err).On("ConfigMap %s/%s", configNamespace, name)
	case certificates.Data[trustedKey] == "":
		problem = "has no " + trustedKey
	default:
		return step.OK("its certificates are in ConfigMap %s/%s", configNamespace, name).On(proxyObject)
	}
	return step.Missing("spec.trustedCA names ConfigMap %s/%s, which %s: nothing can be pulled through a proxy with a "+
		"certificate of its own", configNamespace, name, problem).On(proxyObject).
		WithHint("oc create configmap %s -n %s --from-file=%s=CA.crt; without a proxy of that kind: oc patch proxy cluster "+
			`--type=merge -p '{"spec":{"trustedCA":{"name":""}}}'`, sanitize.Word(name), configNamespace, trustedKey)
}

// readCertificates returns the right to read the ConfigMaps that config.openshift.io names.
func readCertificates() access.Rule {
	return access.Rule{Verbs: "get", Resources: "configmaps", At: access.In(configNamespace), Unwatched: true,
		Why: "which certificates of registries and of the proxy are trusted, under any name"}
}
