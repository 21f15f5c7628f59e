package guest

import (
	"errors"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// RefusedError means that the HyperShift operator did not write this kubeconfig. hcctl does not use it, and waiting
// does not help.
type RefusedError struct {
	// Object holds the kubeconfig, such as "Secret clusters/kv-00-admin-kubeconfig".
	Object string
	// What is the field and why it is refused. It never contains a value of the Secret.
	What string
	next hint.Text
}

// Error names the object and the field.
func (e *RefusedError) Error() string { return e.Object + ", " + e.What }

// Hint says how to find out who wrote it.
func (e *RefusedError) Hint() hint.Text { return e.next }

// Failure is the kind of the error.
func (*RefusedError) Failure() failure.Kind { return failure.Final }

// RefusedFinding returns the Finding for a RefusedError; false for all other errors.
func RefusedFinding(err error) (step.Finding, bool) {
	var refused *RefusedError
	if !errors.As(err, &refused) {
		return step.Finding{}, false
	}
	return step.Broken("%s", refused.What).On("%s", refused.Object).WithHint("%s", refused.next), true
}

func refused(secret client.ObjectKey, err *adminkubeconfig.FieldError) error {
	return &RefusedError{
		fmt.Sprintf("Secret %s", secret), fmt.Sprintf("key %s, %s", KubeconfigKey, err),
		hint.New("anyone who may write Secrets in namespace %s can have done this; %s", secret.Namespace,
			whoWrote("secret", secret)),
	}
}

// checkName refuses an invalid Secret name. It comes from the status, which others than the operator may be able to
// write.
func checkName(hc *hyperv1.HostedCluster, name string) error {
	if len(validation.IsDNS1123Subdomain(name)) == 0 {
		return nil
	}
	return &RefusedError{
		fmt.Sprintf("HostedCluster %s", kube.Name(hc)),
		"status: what it names as the Secret of its kubeconfig is not the name of a Secret",
		whoWrote("hostedcluster", client.ObjectKeyFromObject(hc)),
	}
}

// whoWrote returns the command that shows who wrote an object, without its content.
func whoWrote(resource string, key client.ObjectKey) hint.Text {
	const command = "who wrote it: oc get %s %s --namespace %s --show-managed-fields -o " +
		"jsonpath='{.metadata.managedFields}'"
	return hint.New(command, resource, key.Name, key.Namespace)
}
