package options

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func (o Cluster) validateName() error {
	switch o.Name {
	case "":
		return Errorf("name", "", "a name is needed, such as kv-00")
	case "clusters":
		return Errorf("name", o.Name, "HyperShift does not allow a hosted cluster named clusters")
	case "local-cluster":
		return Errorf("name", o.Name, "the multicluster engine calls the management cluster so")
	}
	if hostedcluster.ReservedNamespace(o.Name) {
		return Errorf("name", o.Name, "a namespace of the platform is called so, and importing the cluster would need one "+
			"of this name")
	}
	if problems := validation.IsDNS1123Label(o.Name); len(problems) > 0 {
		return Errorf("name", o.Name,
			"must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at most "+
				"%d characters", validation.DNS1123LabelMaxLength)
	}
	return nil
}

func (o Cluster) validateNamespace() error {
	switch {
	case o.Namespace == "":
		return Errorf("namespace", "", "a namespace is needed, such as clusters")
	case len(validation.IsDNS1123Label(o.Namespace)) > 0:
		return Errorf("namespace", o.Namespace,
			"must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at most "+
				"%d characters", validation.DNS1123LabelMaxLength)
	}
	if err := hostedcluster.CheckNamespace(o.Namespace); err != nil {
		return Errorf("namespace", o.Namespace, "%v", err)
	}
	if plane := hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name); hostedcluster.ReservedNamespace(plane) {
		return Errorf("name", o.Name, "the namespace of its control plane would be %s, which belongs to the platform", plane)
	}
	return nil
}

// validateNamespaceLength checks the length of the control plane's namespace, NAMESPACE-NAME. The vendor's CLI does
// not.
func (o Cluster) validateNamespaceLength() error {
	full := hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name)
	if len(o.Name) > validation.DNS1123LabelMaxLength || len(full) <= validation.DNS1123LabelMaxLength {
		return nil
	}
	return Errorf("name", o.Name,
		"too long together with its namespace: the control plane's namespace would be %q, %d characters; namespaces have "+
			"at most %d, so the name may have %d here", full, len(full), validation.DNS1123LabelMaxLength,
		max(0, validation.DNS1123LabelMaxLength-len(o.Namespace)-1))
}

func (o Cluster) validateIngress() error {
	if IngressMode(o.Ingress) == IngressService && o.InfraNamespace != "" {
		return Errorf("ingress", o.Ingress,
			"not with %s: the Service would have to be where the VMs are, and hcctl writes nothing to that "+
				"cluster", hint.Flag("infra-kubeconfig-file"))
	}
	return nil
}

func (o Cluster) validateWait() error {
	switch {
	case !slices.Contains(Waits(), o.Wait):
		return Errorf("wait", string(o.Wait), "must be one of %s", WaitNames())
	case o.Wait.Reaches(WaitComplete) && o.workers() == 0:
		// The vendor's CLI also refuses this: the hosted cluster's ingress and console have no node to run on.
		return Errorf("wait", string(o.Wait),
			"without workers (%s 0) the roll-out never completes; use %s api", hint.Flag("node-pool-replicas"),
			hint.Flag("wait"))
	}
	return nil
}
