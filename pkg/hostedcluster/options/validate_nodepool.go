package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
)

const (
	// minRootVolume is the limit of the vendor's CLI, in Gi: RHCOS does not install on less.
	minRootVolume = 16
	// minMemory is hcctl's own limit: the kubelet of an OpenShift node reserves 1Gi for the system, so a node with less
	// than 2Gi has no room for the pods that every node runs. The vendor's CLI and the CRD have no limit and accept "1",
	// one byte.
	minMemory = "2Gi"
)

// validatePoolNames checks the names of the pools. They must be unique: all pools are in one namespace.
func (o Cluster) validatePoolNames() error {
	var errs []error
	seen := map[string]bool{}
	for i, pool := range o.NodePools {
		name := o.PoolName(pool)
		switch {
		case pool.Name != "" && len(validation.IsDNS1123Label(name)) > 0:
			errs = append(errs, option.InPool(Errorf("name", name,
				"must consist of lower case letters, digits and dashes, begin and end with a letter or digit, and have at "+
					"most %d characters", validation.DNS1123LabelMaxLength), i))
		case seen[name]:
			errs = append(errs, option.InPool(Errorf("name", name, "another NodePool of this cluster has that name"), i))
		}
		seen[name] = true
	}
	return errors.Join(errs...)
}

// workers returns the minimum number of worker VMs of all pools.
func (o Cluster) workers() int32 {
	var n int32
	for _, pool := range o.NodePools {
		if pool.MaxReplicas > 0 {
			n += max(1, pool.MinReplicas)
		} else {
			n += pool.Replicas
		}
	}
	return n
}

func (p NodePool) validateReplicas() error {
	var errs []error
	if p.Replicas < 0 {
		errs = append(errs, Errorf("replicas", fmt.Sprint(p.Replicas), "the number of workers cannot be negative"))
	}
	switch {
	case p.MaxReplicas < 0:
		errs = append(errs, Errorf("maxReplicas", fmt.Sprint(p.MaxReplicas), "the number of workers cannot be negative"))
	case p.MaxReplicas == 0 && p.MinReplicas > 1:
		errs = append(errs, Errorf("minReplicas", fmt.Sprint(p.MinReplicas), "of no use without %s",
			hint.Flag("max-replicas")))
	case p.MaxReplicas > 0 && p.MinReplicas < 1:
		errs = append(errs, Errorf("minReplicas", fmt.Sprint(p.MinReplicas),
			"a pool of KubeVirt VMs that scales by itself has at least 1 worker; use %s 1 or more", hint.Flag("min-replicas")))
	case p.MaxReplicas > 0 && p.MaxReplicas < p.MinReplicas:
		errs = append(errs, Errorf("maxReplicas", fmt.Sprint(p.MaxReplicas), "less than %s %d", hint.Flag("min-replicas"),
			p.MinReplicas))
	}
	return errors.Join(errs...)
}

func (p NodePool) parseMemory(v *validatedPool) error {
	q, err := resource.ParseQuantity(p.Memory)
	if err != nil {
		return Errorf("memory", p.Memory, "not an amount of memory; write it like 8Gi, 16Gi or 8192Mi")
	}
	v.Memory = q
	minimum := resource.MustParse(minMemory)
	if q.Cmp(minimum) < 0 {
		message := "too little for a worker, which needs at least " + minMemory
		if isDigits(p.Memory) {
			message = fmt.Sprintf("that is %s bytes, too little for a worker; did you mean %s?", p.Memory,
				inGi(p.Memory, minMemory))
		}
		return Errorf("memory", p.Memory, "%s", message)
	}
	return nil
}

// inGi returns number with the unit Gi that the user probably forgot, but at least least.
func inGi(number, least string) string {
	if q, err := resource.ParseQuantity(number + "Gi"); err != nil || q.Cmp(resource.MustParse(least)) < 0 {
		return least
	}
	return number + "Gi"
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (p NodePool) validateCores() error {
	if p.Cores < 1 {
		return Errorf("cores", fmt.Sprint(p.Cores), "a worker needs at least one core")
	}
	return nil
}

func (p NodePool) validateRootVolume() error {
	if p.RootVolumeSize < minRootVolume {
		return Errorf("rootVolumeSize", fmt.Sprint(p.RootVolumeSize), "a worker's root volume needs at least %d (Gi)",
			minRootVolume)
	}
	if alone := string(corev1.ReadWriteOncePod); len(p.RootVolumeAccessModes) > 1 &&
		slices.Contains(p.RootVolumeAccessModes, alone) {
		return Errorf("rootVolumeAccessModes", alone, "not together with another access mode")
	}
	return nil
}
