package options

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/ptr"
)

// The parsers of options that have a syntax of their own. Each error says what is wrong and what would be right.

// settings splits "name=value,name=value" and calls each for every pair. separator stands between name and value. Names
// are passed in lower case.
func settings(s, separator string, each func(name, value string) error) error {
	for _, part := range strings.Split(s, ",") {
		name, value, ok := strings.Cut(part, separator)
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		if !ok || name == "" {
			return fmt.Errorf("%q is not of the form name%svalue", part, separator)
		}
		if err := each(name, value); err != nil {
			return err
		}
	}
	return nil
}

// ParseToleration reads the vendor CLI's form "key=K,value=V,operator=O,effect=E,tolerationSeconds=S", in any order.
// The case of names, operator and effect does not matter. It refuses what a Kubernetes API server refuses.
func ParseToleration(s string) (corev1.Toleration, error) {
	var t corev1.Toleration
	err := settings(s, "=", func(name, value string) (err error) {
		switch name {
		case "key":
			t.Key = value
		case "value":
			t.Value = value
		case "operator":
			t.Operator, err = word(name, value, corev1.TolerationOpEqual, corev1.TolerationOpExists)
		case "effect":
			t.Effect, err = word(name, value, effects()...)
		case "tolerationseconds":
			n, bad := strconv.ParseInt(value, 10, 64)
			if bad != nil {
				return fmt.Errorf("tolerationSeconds %q is not a whole number", value)
			}
			t.TolerationSeconds = ptr.To(n)
		default:
			return fmt.Errorf("unknown field %q; there are key, value, operator, effect and tolerationSeconds", name)
		}
		return err
	})
	switch {
	case err != nil:
		return t, err
	case t.Key == "" && t.Operator != corev1.TolerationOpExists:
		return t, errors.New("without key the operator must be Exists, which tolerates every taint")
	case t.Operator == corev1.TolerationOpExists && t.Value != "":
		return t, errors.New("operator Exists takes no value")
	case t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute:
		return t, errors.New("tolerationSeconds needs effect NoExecute")
	case t.Key != "" && len(validation.IsQualifiedName(t.Key)) > 0:
		return t, fmt.Errorf("key %q is not the name of a taint", t.Key)
	case len(validation.IsValidLabelValue(t.Value)) > 0:
		return t, fmt.Errorf("value %q is not one that a taint can have", t.Value)
	}
	return t, nil
}

func effects() []corev1.TaintEffect {
	return []corev1.TaintEffect{
		corev1.TaintEffectNoSchedule,
		corev1.TaintEffectPreferNoSchedule,
		corev1.TaintEffectNoExecute,
	}
}

// word returns the allowed value that equals value, ignoring case; "" if value is empty.
func word[T ~string](what, value string, allowed ...T) (T, error) {
	var names []string
	for _, a := range allowed {
		if strings.EqualFold(value, string(a)) {
			return a, nil
		}
		names = append(names, string(a))
	}
	if value == "" {
		return "", nil
	}
	return "", fmt.Errorf("unknown %s %q; there are %s", what, value, strings.Join(names, ", "))
}

// ParseTaint reads "key[=value]:effect", as kubectl taint does.
func ParseTaint(s string) (hyperv1.Taint, error) {
	head, effect, ok := strings.Cut(s, ":")
	if !ok {
		return hyperv1.Taint{}, errors.New("not of the form key[=value]:effect, such as dedicated=gpu:NoSchedule")
	}
	key, value, _ := strings.Cut(head, "=")
	t := hyperv1.Taint{Key: key, Value: value}
	var err error
	switch t.Effect, err = word("effect", effect, effects()...); {
	case err != nil:
		return t, err
	case t.Effect == "":
		return t, errors.New("the effect is missing; there are NoSchedule, PreferNoSchedule, NoExecute")
	case len(key) > maxTaint || len(validation.IsQualifiedName(key)) > 0:
		return t, fmt.Errorf("%q is not the name of a taint", key)
	case len(validation.IsValidLabelValue(value)) > 0:
		return t, fmt.Errorf("%q is not a value that a taint can have", value)
	}
	return t, nil
}

// maxTaint and maxNetwork are the maximum lengths in the NodePool CRD, in characters: of a taint's name, and of a
// network's name with its namespace.
const maxTaint, maxNetwork = 253, 255

// maxDevice is the maximum length of a device's name in the NodePool CRD, in characters.
const maxDevice = 255

// ParseHostDevice reads "name[,count:n]". The default count is 1; the vendor's CLI documents that default but loses it.
func ParseHostDevice(s string) (hyperv1.KubevirtHostDevice, error) {
	name, options, more := strings.Cut(s, ",")
	device := hyperv1.KubevirtHostDevice{DeviceName: strings.TrimSpace(name), Count: 1}
	if len(device.DeviceName) > maxDevice || len(validation.IsQualifiedName(device.DeviceName)) > 0 {
		return device, fmt.Errorf("%q is not the resource name of a device, such as nvidia.com/GA102GL_A10",
			device.DeviceName)
	}
	if !more {
		return device, nil
	}
	return device, settings(options, ":", func(name, value string) (err error) {
		if name != "count" {
			return fmt.Errorf("unknown option %q; there is count:N", name)
		}
		if device.Count, err = strconv.Atoi(value); err != nil || device.Count < 1 || device.Count > maxOfDevice {
			return fmt.Errorf("count %q is not a whole number from 1 to %d", value, maxOfDevice)
		}
		return nil
	})
}

// ParseNetwork reads "name:namespace/network-attachment-definition".
func ParseNetwork(s string) (types.NamespacedName, error) {
	const form = "not of the form name:NAMESPACE/NETWORK, the NetworkAttachmentDefinition NETWORK in NAMESPACE, such " +
		"as name:default/vlan-100"
	key, name, ok := strings.Cut(s, ":")
	namespace, network, slash := strings.Cut(name, "/")
	if !ok || !strings.EqualFold(key, "name") || !slash || len(name) > maxNetwork ||
		len(validation.IsDNS1123Label(namespace)) > 0 ||
		len(validation.IsDNS1123Subdomain(network)) > 0 {
		return types.NamespacedName{}, errors.New(form)
	}
	return types.NamespacedName{Namespace: namespace, Name: network}, nil
}

// Mapping maps a class of the management cluster to a class of the hosted cluster.
type Mapping struct{ Infra, Guest, Group string }

// ParseMapping reads "infra/guest[,group=g]".
func ParseMapping(s string) (Mapping, error) {
	names, options, more := strings.Cut(s, ",")
	infra, guest, ok := strings.Cut(names, "/")
	m := Mapping{Infra: infra, Guest: guest}
	for _, class := range []string{infra, guest} {
		if !ok || len(validation.IsDNS1123Subdomain(class)) > 0 {
			return Mapping{}, errors.New(
				"not of the form INFRA/GUEST[,group=NAME], class INFRA here as class GUEST in the hosted cluster")
		}
	}
	if !more {
		return m, nil
	}
	err := settings(options, "=", func(name, value string) error {
		if name != "group" {
			return fmt.Errorf("unknown option %q; there is group=NAME", name)
		}
		if value == "" || m.Group != "" {
			return errors.New("give one group=NAME")
		}
		m.Group = value
		return nil
	})
	return m, err
}
