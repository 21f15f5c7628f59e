package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/document"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
)

// The bounds of the NodePool CRD.
const (
	maxOfDevice = 1<<31 - 1
	MaxConfigs  = 10
)

func (p NodePool) validatePinning() error {
	if p.CPUPinning && p.QoSClass != string(hyperv1.QoSClassGuaranteed) {
		return Errorf("cpuPinning", "true", "needs %s Guaranteed: only such VMs can have dedicated CPUs",
			hint.Flag("qos-class"))
	}
	return nil
}

func (p NodePool) parseNetworks(v *validatedPool) (err error) {
	v.AdditionalNetwork, err = parseEach("additionalNetwork", p.AdditionalNetwork, ParseNetwork)
	if !p.AttachDefaultNetwork && len(p.AdditionalNetwork) == 0 {
		err = errors.Join(err, Errorf("attachDefaultNetwork", "false",
			"needs %s: the workers would have no network at all", hint.Flag("additional-network")))
	}
	return err
}

func (p NodePool) parseDevices(v *validatedPool) (err error) {
	v.HostDeviceName, err = parseEach("hostDeviceName", p.HostDeviceName, ParseHostDevice)
	return err
}

// parseScheduling parses the options that decide which nodes run the VMs, and the patch of the VMs.
func (p NodePool) parseScheduling(v *validatedPool) (err error) {
	v.VMToleration, err = parseEach("vmToleration", p.VMToleration, ParseToleration)
	errs := []error{
		err,
		p.VMAffinity.validate("vmAffinity", into(&v.VMAffinity, parseAffinity)),
		p.VMJSONPatch.validate("vmJSONPatch", into(&v.VMJSONPatch, parsePatch)),
	}
	v.Spread, err = parseEach("spread", p.Spread, placement.ParseSpread)
	return errors.Join(append(errs, err, checkRepeated("spread", v.Spread))...)
}

func (p NodePool) parseTaints(v *validatedPool) (err error) {
	v.Taints, err = parseEach("taints", p.Taints, ParseTaint)
	return err
}

// configKinds are the kinds that the operator accepts (nodepool/config.go in HyperShift v0.1.80).
func configKinds() []string {
	return []string{
		"MachineConfig",
		"KubeletConfig",
		"ContainerRuntimeConfig",
		"ImageContentSourcePolicy",
		"ImageDigestMirrorSet",
		"ClusterImagePolicy",
	}
}

func (p NodePool) validateConfig() error {
	var errs []error
	for _, file := range p.Config {
		if file.Content == nil {
			continue
		}
		if err := checkConfig(file.Content); err != nil {
			errs = append(errs, Errorf("config", file.Path, "%v", err))
		}
	}
	return errors.Join(errs...)
}

func checkConfig(content []byte) error {
	docs, err := document.Read(content)
	if err != nil {
		return err
	}
	for _, doc := range docs {
		var head nodeConfig
		if err := doc.Loose(&head); err != nil {
			return err
		}
		if !slices.Contains(configKinds(), head.Kind) {
			return fmt.Errorf("line %d: it is a %q; the operator takes %s, each as it is, not within a ConfigMap", doc.Line,
				head.Kind, strings.Join(configKinds(), ", "))
		}
		if err := head.check(); err != nil {
			return fmt.Errorf("line %d: this %s %w", doc.Line, head.Kind, err)
		}
	}
	return nil
}

// nodeConfig holds the fields of a pool's configuration that are checked.
type nodeConfig struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Config *struct {
			Ignition struct {
				Version string `json:"version"`
			} `json:"ignition"`
		} `json:"config"`
		KubeletConfig map[string]any `json:"kubeletConfig"`
	} `json:"spec"`
}

// roleLabel is the role of a MachineConfig. HyperShift always sets it to worker.
const roleLabel = "machineconfiguration.openshift.io/role"

// configVersions lists the versions of each kind that HyperShift decodes (NodePool controller, config.go, of 2025).
func configVersions() map[string][]string {
	const machine = "machineconfiguration.openshift.io/v1"
	return map[string][]string{
		"MachineConfig": {machine}, "KubeletConfig": {machine}, "ContainerRuntimeConfig": {machine},
		"ImageContentSourcePolicy": {"operator.openshift.io/v1alpha1"}, "ImageDigestMirrorSet": {"config.openshift.io/v1"},
		"ClusterImagePolicy": {"config.openshift.io/v1alpha1", "config.openshift.io/v1"},
	}
}

// ignitionVersion matches the versions that the machine config operator accepts: specification 3, and 2.2, which it
// translates.
var ignitionVersion = lazyregexp.New(`^(3\.[0-9]+\.[0-9]+|2\.2\.0)$`)

// check returns what HyperShift or the machine config operator would refuse. Nodes with such a configuration would
// never start.
func (c nodeConfig) check() error {
	versions := configVersions()[c.Kind]
	switch {
	case c.APIVersion == "":
		return errors.New("has no apiVersion")
	case !slices.Contains(versions, c.APIVersion):
		return fmt.Errorf("has apiVersion %s; the operator takes %s", c.APIVersion, strings.Join(versions, " or "))
	case c.Kind == "KubeletConfig" && c.Spec.KubeletConfig == nil:
		return errors.New("has no spec.kubeletConfig")
	case c.Kind != "MachineConfig":
		return nil
	}
	if role, given := c.Metadata.Labels[roleLabel]; given && role != "worker" {
		return fmt.Errorf("has the label %s: %s; a pool has worker nodes only", roleLabel, role)
	}
	if c.Spec.Config != nil && !ignitionVersion.MatchString(c.Spec.Config.Ignition.Version) {
		return fmt.Errorf("has spec.config.ignition.version %q; write one like 3.2.0", c.Spec.Config.Ignition.Version)
	}
	return nil
}
