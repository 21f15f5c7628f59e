package hostedcluster

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	// leastRootVolume is the vendor CLI's own bound: RHCOS does not install on less. In Gi.
	leastRootVolume = 16
	// leastMemory is our own bound: the kubelet of an OpenShift node keeps 1Gi for the system, so that a node with less than
	// twice that has no room for the pods every node runs. The vendor's CLI and the CRD have no bound and take "1", one byte.
	leastMemory = "2Gi"
	// longestReleaseImage is the bound of the HostedCluster CRD.
	longestReleaseImage = 253
)

// releaseImageForm is the rule of the HostedCluster CRD.
var releaseImageForm = regexp.MustCompile(`^\w+\S+$`)

// Validate finds every problem that can be known without a cluster. Each is a *FlagError; several are joined, one per line.
func (o Options) Validate() error {
	return errors.Join(
		o.validateName(), o.validateNamespace(), o.validateNamespaceLength(),
		o.validateReplicas(), o.validateMemory(), o.validateCores(), o.validateRootVolume(),
		o.validatePullSecret(), o.validateReleaseImage(), o.validateBaseDomain(), o.validateSSHKey(), o.validateEtcdStorageClass(),
		o.validateWait(),
	)
}

func flagError(flag, value, format string, args ...any) error {
	return &FlagError{Flag: flag, Value: value, Message: fmt.Sprintf(format, args...)}
}

func (o Options) validateName() error {
	switch o.Name {
	case "":
		return flagError("name", "", "a name is needed, such as kv-00")
	case "clusters":
		return flagError("name", o.Name, "HyperShift does not allow a hosted cluster named clusters")
	case "local-cluster":
		return flagError("name", o.Name, "the multicluster engine calls the management cluster so")
	}
	if problems := validation.IsDNS1123Label(o.Name); len(problems) > 0 {
		return flagError("name", o.Name, "must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at most %d characters",
			validation.DNS1123LabelMaxLength)
	}
	return nil
}

func (o Options) validateNamespace() error {
	switch {
	case o.Namespace == "":
		return flagError("namespace", "", "a namespace is needed, such as clusters")
	case len(validation.IsDNS1123Label(o.Namespace)) > 0:
		return flagError("namespace", o.Namespace, "must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at most %d characters",
			validation.DNS1123LabelMaxLength)
	}
	return nil
}

// validateNamespaceLength checks what the vendor's CLI does not: the control plane's namespace is named after both.
func (o Options) validateNamespaceLength() error {
	full := ControlPlaneNamespace(o.Namespace, o.Name)
	if len(o.Name) > validation.DNS1123LabelMaxLength || len(full) <= validation.DNS1123LabelMaxLength {
		return nil
	}
	return flagError("name", o.Name, "too long together with its namespace: the control plane's namespace would be %q, %d characters; namespaces have at most %d, so the name may have %d here",
		full, len(full), validation.DNS1123LabelMaxLength, max(0, validation.DNS1123LabelMaxLength-len(o.Namespace)-1))
}

func (o Options) validateReplicas() error {
	if o.NodePoolReplicas < 0 {
		return flagError("node-pool-replicas", fmt.Sprint(o.NodePoolReplicas), "the number of workers cannot be negative")
	}
	return nil
}

func (o Options) validateMemory() error {
	q, err := resource.ParseQuantity(o.Memory)
	if err != nil {
		return flagError("memory", o.Memory, "not an amount of memory; write it like 8Gi, 16Gi or 8192Mi")
	}
	least := resource.MustParse(leastMemory)
	if q.Cmp(least) < 0 {
		message := "too little for a worker, which needs at least " + leastMemory
		if digits(o.Memory) {
			message = fmt.Sprintf("that is %s bytes, too little for a worker; did you mean %sGi?", o.Memory, o.Memory)
		}
		return flagError("memory", o.Memory, "%s", message)
	}
	return nil
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (o Options) validateCores() error {
	if o.Cores < 1 {
		return flagError("cores", fmt.Sprint(o.Cores), "a worker needs at least one core")
	}
	return nil
}

func (o Options) validateRootVolume() error {
	if o.RootVolumeSize < leastRootVolume {
		return flagError("root-volume-size", fmt.Sprint(o.RootVolumeSize), "a worker's root volume needs at least %d (Gi)", leastRootVolume)
	}
	return nil
}

func (o Options) validatePullSecret() error {
	if o.PullSecret == nil {
		return nil
	}
	if err := checkPullSecret(o.PullSecret); err != nil {
		return flagError("pull-secret", o.PullSecretFrom, "%v", err)
	}
	return nil
}

func (o Options) validateReleaseImage() error {
	switch {
	case o.ReleaseImage == "":
		return nil
	case len(o.ReleaseImage) > longestReleaseImage:
		return flagError("release-image", o.ReleaseImage, "has %d characters, at most %d are allowed", len(o.ReleaseImage), longestReleaseImage)
	case !releaseImageForm.MatchString(o.ReleaseImage):
		return flagError("release-image", o.ReleaseImage, "not an image reference; write it like quay.io/openshift-release-dev/ocp-release:4.20.3-multi")
	}
	return nil
}

func (o Options) validateBaseDomain() error {
	if o.BaseDomain != "" && len(validation.IsDNS1123Subdomain(o.BaseDomain)) > 0 {
		return flagError("base-domain", o.BaseDomain, "not a DNS name; write it like example.com, in lower case")
	}
	return nil
}

func (o Options) validateSSHKey() error {
	if o.SSHKey == nil {
		return nil
	}
	if err := checkPublicKeys(o.SSHKey); err != nil {
		return flagError("ssh-key", o.SSHKeyFrom, "%v", err)
	}
	return nil
}

func (o Options) validateEtcdStorageClass() error {
	if o.EtcdStorageClass != "" && len(validation.IsDNS1123Subdomain(o.EtcdStorageClass)) > 0 {
		return flagError("etcd-storage-class", o.EtcdStorageClass, "not a name of a StorageClass")
	}
	return nil
}

func (o Options) validateWait() error {
	switch {
	case !slices.Contains(Waits(), o.Wait):
		return flagError("wait", string(o.Wait), "must be one of none, api, nodes, complete")
	case o.Wait == WaitComplete && o.NodePoolReplicas == 0:
		// The vendor's CLI refuses this as well: the hosted cluster's ingress and console have nowhere to run.
		return flagError("wait", string(o.Wait), "without workers (--node-pool-replicas 0) the roll-out never completes; use --wait api")
	}
	return nil
}
