package options

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/pemfile"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// The limits of the HostedCluster CRD.
const (
	maxSources = 255
	maxMapped  = 255
	// minEtcd is hcctl's own limit: etcd's own reserve does not fit into less. The vendor's CLI and the CRD accept "8",
	// eight bytes.
	minEtcd = "1Gi"
)

// validate returns check's error about the content of a file, as an error of the field. It returns nil if the file has
// not been read. The error must not quote the content.
func (f File) validate(field string, check func([]byte) error) error {
	if f.Content == nil {
		return nil
	}
	if err := check(f.Content); err != nil {
		return Errorf(field, f.Path, "%v", err)
	}
	return nil
}

// into turns a parser into a check that stores the parsed value in at.
func into[T any](at *T, parse func([]byte) (T, error)) func([]byte) error {
	return func(content []byte) (err error) {
		*at, err = parse(content)
		return err
	}
}

func (o Cluster) validateMetadata() error {
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(o.Annotations)) {
		if len(validation.IsQualifiedName(strings.ToLower(key))) > 0 {
			errs = append(errs, Errorf("annotations", key, "not the name of an annotation"))
		}
	}
	if text, ok := o.Annotations[hyperv1.JSONPatchAnnotation]; ok {
		_, err := parsePatch([]byte(text))
		if !json.Valid([]byte(text)) {
			err = errors.New("the value is not JSON")
		}
		if err != nil {
			errs = append(errs, Errorf("annotations", hyperv1.JSONPatchAnnotation, "%v", err))
		}
	}
	if v, ok := o.Labels["hypershift.openshift.io/auto-created-for-infra"]; ok {
		errs = append(errs, Errorf("labels", hostedcluster.InfraLabel+"="+v, "this label is hcctl's own; use %s",
			hint.Flag("infra-id")))
	}
	return errors.Join(errs...)
}

func (o Cluster) parseFiles(v *validated) error {
	errs := []error{
		o.PullSecret.validate("pullSecret", checkPullSecret),
		o.SSHKey.validate("sshKey", checkPublicKeys),
		o.AdditionalTrustBundle.validate("additionalTrustBundle", pemfile.CheckCertificates),
		o.ImageContentSources.validate("imageContentSources", into(&v.ImageContentSources, ParseImageContentSources)),
		o.IdentityProviders.validate("identityProviders", into(&v.IdentityProviders, ParseIdentityProviders)),
		o.OIDC.validate("oidc", into(&v.OIDC, ParseOIDC)),
		o.AuditWebhook.validate("auditWebhook", checkKubeconfig),
		o.InfraKubeconfigFile.validate("infraKubeconfigFile", checkKubeconfig),
	}
	if o.SSHKey.Given() && o.GenerateSSH {
		errs = append(errs, Errorf("generateSSH", "true", "not together with %s: give only one of the two",
			hint.Flag("ssh-key")))
	}
	if o.OIDC.Given() && o.IdentityProviders.Given() {
		errs = append(errs, Errorf("oidc", o.OIDC.Path,
			"not together with %s: with OIDC the hosted cluster has no OAuth server that could use them",
			hint.Flag("identity-providers")))
	}
	for _, file := range o.Manifests {
		errs = append(
			errs,
			file.validate("manifests", func(content []byte) error {
				objects, err := ParseManifests(content, o.Namespace, o.AllowKinds)
				v.Manifests = append(v.Manifests, objects...)
				return err
			}),
		)
	}
	return errors.Join(errs...)
}

// checkKubeconfig requires a server in the current context, and refuses files and commands that exist only where hcctl
// runs.
func checkKubeconfig(content []byte) error {
	if _, err := document.One(content, "a kubeconfig"); err != nil {
		return fmt.Errorf("not a kubeconfig: %w", err)
	}
	cfg, err := clientcmd.Load(content)
	if err != nil {
		return errors.New("not a kubeconfig")
	}
	kubecontext := cfg.Contexts[cfg.CurrentContext]
	if kubecontext == nil {
		return errors.New("the kubeconfig has no current context")
	}
	cluster := cfg.Clusters[kubecontext.Cluster]
	if cluster == nil || cluster.Server == "" {
		return errors.New("the kubeconfig's current context has no server")
	}
	user := cfg.AuthInfos[kubecontext.AuthInfo]
	if user != nil && (user.Exec != nil || user.AuthProvider != nil) {
		return errors.New("the kubeconfig names a command or plugin for its credentials, which the cluster does not have; " +
			"it takes a token or a client certificate")
	}
	if cluster.CertificateAuthority != "" || user != nil && user.ClientCertificate+user.ClientKey+user.TokenFile != "" {
		return errors.New(
			"the kubeconfig names files, which the cluster does not have; oc config view --flatten --raw writes their " +
				"content into it")
	}
	return nil
}

func (o Cluster) parseControlPlane(v *validated) error {
	var wrong error
	v.Toleration, wrong = parseEach("toleration", o.Toleration, ParseToleration)
	errs := []error{o.parseEtcdSize(v), wrong}
	v.ServingCert, wrong = parseEach("servingCert", o.ServingCert, parseServingCert)
	return errors.Join(append(errs, wrong)...)
}

func (o Cluster) parseEtcdSize(v *validated) error {
	q, err := resource.ParseQuantity(o.EtcdStorageSize)
	if err != nil {
		return Errorf("etcdStorageSize", o.EtcdStorageSize, "not a size; write it like 8Gi")
	}
	v.EtcdStorageSize = q
	if q.Cmp(resource.MustParse(minEtcd)) < 0 {
		if isDigits(o.EtcdStorageSize) {
			return Errorf("etcdStorageSize", o.EtcdStorageSize, "that is %s bytes, too little for etcd; did you mean %s?",
				o.EtcdStorageSize, inGi(o.EtcdStorageSize, minEtcd))
		}
		return Errorf("etcdStorageSize", o.EtcdStorageSize, "too little for etcd, which needs at least %s", minEtcd)
	}
	return nil
}

// parseServingCert reads "SECRET[,HOST]...".
func parseServingCert(s string) (configv1.APIServerNamedServingCert, error) {
	words := strings.Split(s, ",")
	if err := secretName()(words[0]); err != nil || words[0] == "" {
		return configv1.APIServerNamedServingCert{}, errors.New("not of the form SECRET[,HOST]..., such as " +
			"api-cert,api.kv-00.example.com")
	}
	for _, host := range words[1:] {
		if dnsName("api.example.com")(strings.TrimPrefix(host, "*.")) != nil {
			return configv1.APIServerNamedServingCert{}, fmt.Errorf("%q is not the name of a host", host)
		}
	}
	return configv1.APIServerNamedServingCert{Names: words[1:],
		ServingCertificate: configv1.SecretNameReference{Name: words[0]}}, nil
}

// validateDomains refuses names of *.apps that do not work if the ingress passes through: HyperShift's Route for it
// always serves apps.NAME.BASE-DOMAIN (ReconcileDefaultIngressPassthroughRoute, 4.14 to 4.21).
func (o Cluster) validateDomains() error {
	var errs []error
	for _, given := range []struct{ field, value string }{{"baseDomainPrefix", o.BaseDomainPrefix},
		{"appsDomain", o.AppsDomain}} {
		if given.value != "" && o.BaseDomain == "" {
			errs = append(errs, Errorf(given.field, given.value, "needs %s: without one the ingress passes through a Route for "+
				"*.apps.NAME.BASE-DOMAIN, whatever this says", hint.Flag("base-domain")))
		}
	}
	return errors.Join(errs...)
}

func (o Cluster) validateConfiguration() error {
	errs := []error{o.validateDomains()}
	if o.MaxNodesTotal < 0 {
		errs = append(errs, Errorf("maxNodesTotal", strconv.Itoa(int(o.MaxNodesTotal)),
			"cannot be negative; 0 is without limit"))
	}
	for _, c := range o.EnableClusterCapabilities {
		if slices.Contains(o.DisableClusterCapabilities, c) {
			errs = append(errs, Errorf("enableClusterCapabilities", c, "also in %s",
				hint.Flag("disable-cluster-capabilities")))
		}
	}
	for _, c := range o.DisableClusterCapabilities {
		if c == "Ingress" && !slices.Contains(o.DisableClusterCapabilities, "Console") {
			errs = append(errs, Errorf("disableClusterCapabilities", c, "the console needs ingress: disable Console as well"))
		}
	}
	return errors.Join(errs...)
}
