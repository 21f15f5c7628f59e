package guest

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
	"github.com/hcctl/hcctl/pkg/step"
)

// RefusedError means that the HyperShift operator did not write this kubeconfig. hcctl does not use it, and a retry
// does not help.
type RefusedError struct {
	// Object holds the kubeconfig, such as "Secret clusters/kv-00-admin-kubeconfig".
	Object string
	// What is the field and the reason. It never contains a value of the Secret.
	What string
	next hint.Text
}

// Error names the object and the field.
func (e *RefusedError) Error() string { return e.Object + ", " + e.What }

// Hint says how to find out which client wrote it.
func (e *RefusedError) Hint() hint.Text { return e.next }

// Failure returns the kind of the error.
func (*RefusedError) Failure() failure.Kind { return failure.Final }

// RefusedFinding returns the finding for a RefusedError, or false for any other error.
func RefusedFinding(err error) (step.Finding, bool) {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return step.Finding{}, false
	}
	return step.Broken("%s", refused.What).On("%s", refused.Object).WithHint("%s", refused.next), true
}

// Remedy returns what a user can do about an error of a request to a hosted API server, by its kind. It is empty for a
// RefusedError, and if the user can only wait. kube.Remedy is for management clusters.
func Remedy(err error, hc *hyperv1.HostedCluster) hint.Text {
	this, address := hostedcluster.Argument(hc.Namespace, hc.Name), requestedAddress(err, hc)
	switch kube.KindOf(err) {
	case kube.Unauthorized, kube.CertificateEnded:
		return hint.New("its operator renews that kubeconfig; %s says why it is refused",
			hint.Run("logs", this, "kube-apiserver"))
	case kube.OutOfDate:
		return hint.New("set this machine's clock; if that is right, %s says why the certificate is not renewed",
			hint.Run("logs", this, "control-plane-operator"))
	case kube.Untrusted:
		return hint.New("something else may answer at %s, such as a proxy: curl -vk https://%s/readyz shows its "+
			"certificate", address, address)
	case kube.Proxy:
		return hint.New("have the proxy let %s through, or name its host in NO_PROXY", address)
	case kube.NotPermitted:
		return hint.New("a role that may: %s", hint.Run("rbac").Flag("for", "login").Flag("namespace",
			hc.Namespace).Flag("cluster-name", hc.Name))
	case kube.NotReady:
		return hint.Run("logs", this, "kube-apiserver").Text()
	case kube.ConnectionRefused:
		return hint.New("nothing listens at %s: %s says whether its pods run", address, hint.Run("status", this))
	case kube.NoName:
		return hint.New("the name in %s has to resolve on this machine", address)
	case kube.NoAnswer:
		if tunnel := (*transport.DetourError)(nil); errors.As(err, &tunnel) && kube.IsNotPermitted(tunnel.Detour) {
			return hint.New("%s%s has to be reachable from this machine; or, for the way through the management cluster, %s",
				published(hc), address, TunnelRemedy(tunnel.Detour, client.ObjectKeyFromObject(hc)))
		}
		return hint.New("%s%s has to be reachable from this machine: curl -k https://%s/readyz", published(hc), address,
			address)
	case kube.OtherError, kube.TooLarge, kube.CredentialsCommand, kube.Webhook:
	}
	return kube.Remedy(err)
}

// requestedAddress returns host and port of the failed request, or else those in the HostedCluster's status.
func requestedAddress(err error, hc *hyperv1.HostedCluster) string {
	var request *url.Error
	if errors.As(err, &request) {
		if u, err := url.Parse(request.URL); err == nil && u.Host != "" {
			return u.Host
		}
	}
	end := hc.Status.ControlPlaneEndpoint
	return net.JoinHostPort(end.Host, strconv.Itoa(int(end.Port)))
}

// published describes the address of the API server, or returns "" if the HostedCluster does not publish one.
func published(hc *hyperv1.HostedCluster) string {
	words := map[hyperv1.PublishingStrategyType]string{hyperv1.NodePort: "a node with its node port, ",
		hyperv1.Route: "the router that has its Route, ", hyperv1.LoadBalancer: "its load balancer, "}
	for _, s := range hc.Spec.Services {
		if s.Service == hyperv1.APIServer {
			return words[s.Type]
		}
	}
	return ""
}

// Unknown is kube.Unknown for a request to a hosted API server. what describes the data that could not be read.
func Unknown(what string, err error, hc *hyperv1.HostedCluster) step.Finding {
	if refused, is := RefusedFinding(err); is {
		return refused
	}
	f := step.Unknown("%s: %s", what, kube.Explain(err)).On("HostedCluster %s", kube.Name(hc)).RecheckAfter(Timeout)
	f.Hint = Remedy(err, hc)
	return f
}

func refused(secret client.ObjectKey, err *adminkubeconfig.FieldError) error {
	return &RefusedError{
		fmt.Sprintf("Secret %s", secret), fmt.Sprintf("key %s, %s", KubeconfigKey, err),
		hint.New("anyone who may write Secrets in namespace %s can have done this; %s", secret.Namespace,
			writerHint("secret", secret)),
	}
}

// checkName refuses an invalid Secret name. The name comes from the status, which clients other than the operator may
// be able to write.
func checkName(hc *hyperv1.HostedCluster, name string) error {
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return &RefusedError{
		fmt.Sprintf("HostedCluster %s", kube.Name(hc)),
		"status: what it names as the Secret of its kubeconfig is not the name of a Secret",
		writerHint("hostedcluster", client.ObjectKeyFromObject(hc)),
	}
}

// writerHint returns the command that shows which client wrote an object, without the content.
func writerHint(resource string, key client.ObjectKey) hint.Text {
	const command = "who wrote it: oc get %s %s --namespace %s --show-managed-fields -o " +
		"jsonpath='{.metadata.managedFields}'"
	return hint.New(command, resource, key.Name, key.Namespace)
}
