package hostedcluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
	"github.com/hcctl/hcctl/sandbox/hypershift/release"
)

// validateConfiguration is the ValidConfiguration gate: nil, or all errors at once. Each reconcile runs it again,
// because an operator that is still being installed can fix an error.
func (r *hostedClusters) validateConfiguration(ctx context.Context, hc *hyperv1.HostedCluster) error {
	var errs []error
	if err := r.validateInfra(ctx, hc); err != nil {
		errs = append(errs, err)
	}
	if err := validateNetworks(hc); err != nil {
		errs = append(errs, err)
	}
	return utilerrors.NewAggregate(append(errs, r.validateTrustBundles(ctx, hc)...))
}

// validateInfra requires minimum versions of OpenShift Virtualization and Kubernetes, if this operator does (2.5 and
// later).
func (r *hostedClusters) validateInfra(ctx context.Context, hc *hyperv1.HostedCluster) error {
	if !r.Features.ValidatesInfra || hc.Spec.Platform.Type != hyperv1.KubevirtPlatform {
		return nil
	}
	if ok, err := strconv.ParseBool(hc.Annotations[hyperv1.AllowUnsupportedKubeVirtRHCOSVariantsAnnotation]); err == nil &&
		ok {
		return nil
	}
	config, err := r.InfraConfig(ctx, hc)
	if err != nil {
		return err
	}
	d, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return fmt.Errorf("failed to create infra cluster discovery client: %w", err)
	}
	kubevirt, err := kubevirtVersion(ctx, d.RESTClient())
	if err != nil {
		return err
	}
	info, err := d.ServerVersion()
	if err != nil {
		return fmt.Errorf("failed to detect infrastructure cluster Kubernetes version for KubeVirt platform: %w", err)
	}
	kubernetes, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return fmt.Errorf("failed to parse infrastructure cluster Kubernetes version for KubeVirt platform: %w", err)
	}
	return checkInfraVersions(kubevirt, kubernetes)
}

func checkInfraVersions(kubevirt, kubernetes *utilversion.Version) error {
	var errs []error
	if least := utilversion.MustParseGeneric("1.0.0"); kubevirt.LessThan(least) {
		errs = append(errs, fmt.Errorf("infrastructure kubevirt version is [%s], hypershift kubevirt platform requires "+
			"kubevirt version [%s] or greater", kubevirt, least))
	}
	if least := utilversion.MustParseGeneric("1.27.0"); kubernetes.LessThan(least) {
		errs = append(errs, fmt.Errorf("infrastructure Kubernetes version is [%s], hypershift kubevirt platform requires "+
			"Kubernetes version [%s] or greater", kubernetes, least))
	}
	return utilerrors.NewAggregate(errs)
}

// kubevirtVersion sends the two requests of the real operator: the preferred version of the API group, and the version
// that its endpoint reports.
func kubevirtVersion(ctx context.Context, c rest.Interface) (*utilversion.Version, error) {
	var group metav1.APIGroup
	raw, err := c.Get().AbsPath("/apis/subresources.kubevirt.io").Do(ctx).Raw()
	if err != nil {
		return nil, virtualizationUnreachable(err)
	}
	if err := json.Unmarshal(raw, &group); err != nil {
		return nil, fmt.Errorf("unable to validate OpenShift Virtualization version due malformed group version data: %w",
			err)
	}
	raw, err = c.Get().AbsPath("/apis/" + group.PreferredVersion.GroupVersion + "/version").Do(ctx).Raw()
	if err != nil {
		return nil, virtualizationUnreachable(err)
	}
	var info struct {
		GitVersion string `json:"gitVersion"`
	}
	if err := json.Unmarshal(raw, &info); err != nil {
		return nil, fmt.Errorf("unable to validate OpenShift Virtualization version due malformed version data: %w", err)
	}
	v, err := utilversion.ParseGeneric(info.GitVersion)
	if err != nil {
		return nil, fmt.Errorf("failed to parse infrastructure cluster OpenShift Virtualization version [%s] for KubeVirt "+
			"platform: %w", info.GitVersion, err)
	}
	return v, nil
}

func virtualizationUnreachable(err error) error {
	var connection *url.Error
	if errors.As(err, &connection) {
		err = connection.Err
	}
	return fmt.Errorf("unable to validate OpenShift Virtualization version due to connection error: %w", err)
}

// validateNetworks checks the networks of the HostedCluster for overlaps with each other. Like the real operator it
// ignores the management cluster's.
func validateNetworks(hc *hyperv1.HostedCluster) error {
	type entry struct {
		net  net.IPNet
		path *field.Path
	}
	var entries []entry
	for _, n := range hc.Spec.Networking.MachineNetwork {
		entries = append(entries, entry{net.IPNet(n.CIDR), field.NewPath("spec.networking.MachineNetwork")})
	}
	for _, n := range hc.Spec.Networking.ServiceNetwork {
		entries = append(entries, entry{net.IPNet(n.CIDR), field.NewPath("spec.networking.ServiceNetwork")})
	}
	for _, n := range hc.Spec.Networking.ClusterNetwork {
		entries = append(entries, entry{net.IPNet(n.CIDR), field.NewPath("spec.networking.ClusterNetwork")})
	}
	if hc.Spec.Networking.NetworkType == hyperv1.OVNKubernetes && hc.Spec.Platform.Type == hyperv1.KubevirtPlatform {
		_, join, err := net.ParseCIDR(defaultJoinSubnet)
		if err != nil {
			return fmt.Errorf("parse the default join subnet: %w", err)
		}
		entries = append(entries, entry{*join, field.NewPath("spec", "operatorConfiguration", "clusterNetworkOperator",
			"ovnKubernetesConfig", "ipv4", "v4InternalSubnet (default)")})
	}
	var errs field.ErrorList
	for i, a := range entries {
		for _, b := range entries[i+1:] {
			if a.net.Contains(b.net.IP) || b.net.Contains(a.net.IP) {
				errs = append(errs, field.Invalid(a.path, a.net.String(),
					fmt.Sprintf("%s and %s overlap: %s and %s", a.path, b.path, a.net.String(), b.net.String())))
			}
		}
	}
	at := reconciler.Publishing(hc.Spec.Services, hyperv1.APIServer)
	if at == nil || at.NodePort == nil {
		return errs.ToAggregate()
	}
	ip := net.ParseIP(at.NodePort.Address)
	for _, n := range hc.Spec.Networking.ServiceNetwork {
		if services := net.IPNet(n.CIDR); ip != nil && services.Contains(ip) {
			errs = append(errs, field.Invalid(field.NewPath("spec.networking.ServiceNetwork"), services.String(),
				fmt.Sprintf("Nodeport IP is within the service network range: %s is within %s", ip, services.String())))
		}
	}
	return errs.ToAggregate()
}

// defaultJoinSubnet is OVN-Kubernetes' join subnet inside a KubeVirt guest.
const defaultJoinSubnet = "100.66.0.0/16"

func (r *hostedClusters) validateTrustBundles(ctx context.Context, hc *hyperv1.HostedCluster) []error {
	var names []string
	if hc.Spec.AdditionalTrustBundle != nil {
		names = append(names, hc.Spec.AdditionalTrustBundle.Name)
	}
	if c := hc.Spec.Configuration; c != nil && c.Proxy != nil && c.Proxy.TrustedCA.Name != "" {
		names = append(names, c.Proxy.TrustedCA.Name)
	}
	var errs []error
	for _, name := range names {
		cm := &corev1.ConfigMap{}
		if err := r.Client.Get(ctx, types.NamespacedName{Namespace: hc.Namespace, Name: name}, cm); err != nil {
			errs = append(errs, fmt.Errorf("failed to get configMap %s: %w", name, err))
			continue
		}
		if _, ok := cm.Data["ca-bundle.crt"]; !ok {
			errs = append(errs, fmt.Errorf("configMap %s must have a %s key", name, "ca-bundle.crt"))
		}
	}
	return errs
}

// releaseGate is the result for spec.release: the payload, the ValidReleaseImage condition, and why the roll-out is
// blocked, if it is.
type releaseGate struct {
	release release.Payload
	valid   status.Condition
	blocked string
}

// checkRelease reads the payload with the pull secret and checks its version against those that this operator can
// create.
func (r *hostedClusters) checkRelease(ctx context.Context, hc *hyperv1.HostedCluster) (releaseGate, error) {
	bad := func(reason, message, blocked string) (releaseGate, error) {
		return releaseGate{valid: status.False(hyperv1.ValidReleaseImage, reason, message), blocked: blocked}, nil
	}
	if err := reconciler.CheckPullSecret(ctx, r.Client, hc); err != nil {
		var missing *reconciler.PullSecretError
		if !errors.As(err, &missing) {
			return releaseGate{}, err
		}
		return bad(hyperv1.SecretNotFoundReason, err.Error(), err.Error())
	}
	image := hc.Spec.Release.Image
	payload, err := r.Registry().Lookup(image)
	if err != nil {
		return bad(hyperv1.PayloadArchNotFoundReason, msgPayloadArch(image, err), release.MsgReleaseMetadata(err))
	}
	gate := releaseGate{release: payload, valid: status.True(hyperv1.ValidReleaseImage, msgReleaseImageValid)}
	if _, skip := hc.Annotations[hyperv1.SkipReleaseImageValidation]; skip {
		return gate, nil
	}
	if err := r.Features.Supported(payload.Version, r.runningVersion(hc)); err != nil {
		gate.valid = status.False(hyperv1.ValidReleaseImage, hyperv1.InvalidImageReason, err.Error())
	}
	return gate, nil
}

// runningVersion returns the current version of the cluster if another image is requested, else "".
func (r *hostedClusters) runningVersion(hc *hyperv1.HostedCluster) string {
	v := hc.Status.Version
	if v == nil || release.Is(v.Desired.Image, hc.Spec.Release.Image) {
		return ""
	}
	if v.Desired.Version != "" {
		return v.Desired.Version
	}
	current, err := r.Registry().Lookup(v.Desired.Image)
	if err != nil {
		return ""
	}
	return current.Version
}
