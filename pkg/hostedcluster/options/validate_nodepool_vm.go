package options

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
)

// The bounds of the NodePool CRD.
const (
	mostNetworks    = 20
	mostDevices     = 10
	mostOfDevice    = 1<<31 - 1
	mostTaints      = 50
	MaxConfigs      = 10
	mostAccessModes = 10
	// longestContainerDisk in characters.
	longestContainerDisk = 2048
)

// oneOf is an error unless value is one of those allowed; an empty one allows that nothing is given.
func oneOf(field, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	shown := slices.DeleteFunc(slices.Clone(allowed), func(s string) bool { return s == "" })
	return Errorf(field, value, "must be one of %s", strings.Join(shown, ", "))
}

// atMost is an error if there are more than the CRD takes.
func atMost(field string, have, most int) error {
	if have <= most {
		return nil
	}
	return Errorf(field, "", "given %d times, at most %d are allowed", have, most)
}

// validateLabels checks keys and values as an API server would, and their number where most is not 0.
func validateLabels(field string, labels map[string]string, most int) error {
	var errs []error
	if most > 0 {
		errs = append(errs, atMost(field, len(labels), most))
	}
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		switch value := labels[key]; {
		case len(validation.IsQualifiedName(key)) > 0:
			errs = append(errs, Errorf(field, key+"="+value, "%q is not the name of a label", key))
		case len(validation.IsValidLabelValue(value)) > 0:
			errs = append(errs, Errorf(field, key+"="+value, "%q is not a value that a label can have", value))
		}
	}
	return errors.Join(errs...)
}

// validateClass checks the name of a class; empty is the default class.
func validateClass(field, value string) error {
	if value != "" && len(validation.IsDNS1123Subdomain(value)) > 0 {
		return Errorf(field, value, "not a name of a StorageClass")
	}
	return nil
}

func (p NodePool) validatePinning() error {
	if p.CPUPinning && p.QoSClass != string(hyperv1.QoSClassGuaranteed) {
		return Errorf("cpuPinning", "true", "needs --qos-class Guaranteed: only such VMs can have dedicated CPUs")
	}
	return nil
}

func (p NodePool) validateMode() error {
	errs := []error{atMost("rootVolumeAccessModes", len(p.RootVolumeAccessModes), mostAccessModes)}
	for _, mode := range p.RootVolumeAccessModes {
		errs = append(errs, oneOf("rootVolumeAccessModes", mode, accessModes()...))
	}
	return errors.Join(append(errs, validateClass("rootVolumeStorageClass", p.RootVolumeStorageClass))...)
}

func (p NodePool) validateImages() error {
	err := validateReleaseImage(p.ReleaseImage)
	if len(p.ContainerDisk) > longestContainerDisk || strings.ContainsAny(p.ContainerDisk, " \t\n") {
		err = errors.Join(err, Errorf("containerdisk", p.ContainerDisk, "not an image reference"))
	}
	return err
}

func (p NodePool) parseNetworks(v *validatedPool) (err error) {
	v.AdditionalNetwork, err = parseEach("additionalNetwork", p.AdditionalNetwork, ParseNetwork)
	errs := []error{atMost("additionalNetwork", len(p.AdditionalNetwork), mostNetworks), err}
	if !p.AttachDefaultNetwork && len(p.AdditionalNetwork) == 0 {
		errs = append(
			errs,
			Errorf("attachDefaultNetwork", "false", "needs --additional-network: the workers would have no network at all"),
		)
	}
	return errors.Join(errs...)
}

func (p NodePool) parseDevices(v *validatedPool) (err error) {
	v.HostDeviceName, err = parseEach("hostDeviceName", p.HostDeviceName, ParseHostDevice)
	return errors.Join(atMost("hostDeviceName", len(p.HostDeviceName), mostDevices), err)
}

// parseScheduling parses what says where the VMs run and how they differ.
func (p NodePool) parseScheduling(v *validatedPool) (err error) {
	v.VMToleration, err = parseEach("vmToleration", p.VMToleration, ParseToleration)
	errs := []error{
		validateLabels("vmNodeSelector", p.VMNodeSelector, 0),
		err,
		p.VMAffinity.checked("vmAffinity", into(&v.VMAffinity, parseAffinity)),
		p.VMJSONPatch.checked("vmJSONPatch", into(&v.VMJSONPatch, parsePatch)),
	}
	v.Spread, err = parseEach("spread", p.Spread, placement.ParseSpread)
	return errors.Join(append(errs, err, atMost("spread", len(p.Spread), mostSpreads), repeated("spread", v.Spread))...)
}

func (p NodePool) parseTaints(v *validatedPool) (err error) {
	v.Taints, err = parseEach("taints", p.Taints, ParseTaint)
	return errors.Join(atMost("taints", len(p.Taints), mostTaints), err)
}

// configKinds are those that the operator takes (nodepool/config.go in HyperShift v0.1.80).
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
	errs := []error{atMost("config", len(p.Config), MaxConfigs)}
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
	docs, err := documents(content)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		var head nodeConfig
		if err := yaml.Unmarshal(doc, &head); err != nil {
			return fmt.Errorf("document %d is not an object: %s", i+1, plainly(err))
		}
		if !slices.Contains(configKinds(), head.Kind) {
			return fmt.Errorf(
				"document %d is a %q; the operator takes %s, each as it is, not within a ConfigMap",
				i+1,
				head.Kind,
				strings.Join(configKinds(), ", "),
			)
		}
		if err := head.check(); err != nil {
			return fmt.Errorf("document %d, a %s, %w", i+1, head.Kind, err)
		}
	}
	return nil
}

// nodeConfig is what is looked at of a document of a pool's configuration.
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

// roleLabel of a MachineConfig is set to worker by HyperShift, whatever it was.
const roleLabel = "machineconfiguration.openshift.io/role"

// configVersions are the versions in which HyperShift decodes the kinds (NodePool controller, config.go, of 2025).
func configVersions() map[string][]string {
	const machine = "machineconfiguration.openshift.io/v1"
	return map[string][]string{
		"MachineConfig": {machine}, "KubeletConfig": {machine}, "ContainerRuntimeConfig": {machine},
		"ImageContentSourcePolicy": {"operator.openshift.io/v1alpha1"}, "ImageDigestMirrorSet": {"config.openshift.io/v1"},
		"ClusterImagePolicy": {"config.openshift.io/v1alpha1", "config.openshift.io/v1"},
	}
}

// ignitionVersion is what the machine config operator takes: specification 3, and 2.2, which it translates.
var ignitionVersion = regexp.MustCompile(`^(3\.[0-9]+\.[0-9]+|2\.2\.0)$`)

// check says what HyperShift, or the machine config operator after it, would refuse; nodes would never come up.
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

func (p NodePool) validateTimeouts() error {
	notNegative := func(field string, d time.Duration) error {
		if d < 0 {
			return Errorf(field, d.String(), "cannot be negative; 0 is without limit")
		}
		return nil
	}
	return errors.Join(
		notNegative("nodeDrainTimeout", p.NodeDrainTimeout),
		notNegative("nodeVolumeDetachTimeout", p.NodeVolumeDetachTimeout),
	)
}
