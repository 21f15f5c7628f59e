package options

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

// The checks of single values that rows of the tables name. Their errors name neither the option nor the value.

// baseDomainForm and infraIDForm are rules of the HostedCluster CRD.
var (
	baseDomainForm = lazyregexp.New(`^(?:(?:[a-zA-Z0-9-]+\.)+[a-zA-Z]{2,}|[a-zA-Z0-9-]+)$`)
	infraIDForm    = lazyregexp.New(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
)

// checkLabel checks KEY=VALUE by the rules of an API server.
func checkLabel(pair string) error {
	key, value, _ := strings.Cut(pair, "=")
	switch {
	case len(validation.IsQualifiedName(key)) > 0:
		return fmt.Errorf("%q is not the name of a label", key)
	case len(validation.IsValidLabelValue(value)) > 0:
		return fmt.Errorf("%q is not a value that a label can have", value)
	}
	return nil
}

func checkOwner(owner string) error {
	if len(validation.IsValidLabelValue(owner)) > 0 {
		return fmt.Errorf("not a value that a label can have; hcctl writes %s for that", hostedcluster.OwnerOf(owner))
	}
	return nil
}

func checkExpiry(text string) error {
	_, err := hostedcluster.ParseExpiry(text, time.Time{})
	return err
}

// dnsName returns a check that a value is a DNS name. example is shown in its error.
func dnsName(example string) func(string) error {
	return func(name string) error {
		if len(validation.IsDNS1123Subdomain(name)) > 0 || !baseDomainForm.MatchString(name) {
			return fmt.Errorf("not a DNS name; write it like %s, in lower case", example)
		}
		return nil
	}
}

// checkPrefix accepts what the CRD accepts of spec.dns.baseDomainPrefix, and "none".
func checkPrefix(prefix string) error { return dnsName("east")(prefix) }

// objectName returns a check that a value can be the name of an object. what describes the name in its error.
func objectName(what string) func(string) error {
	return func(name string) error {
		if len(validation.IsDNS1123Subdomain(name)) > 0 {
			return errors.New("not " + what)
		}
		return nil
	}
}

// secretName returns a check that a value can be the name of a Secret.
func secretName() func(string) error {
	return objectName("the name of a Secret: lower case letters, digits, - and .")
}

func checkNamespace(name string) error {
	if len(validation.IsDNS1123Label(name)) > 0 {
		return errors.New("not a name of a namespace")
	}
	return nil
}

// imageReference returns a check that a value is an image reference. It is stricter than the CRD, which also accepts
// references that cannot be pulled; the maximum length is the CRD's.
func imageReference(example string) func(string) error {
	const maxLength = 253
	return func(image string) error {
		switch {
		case len(image) > maxLength:
			return fmt.Errorf("has %d characters, at most %d are allowed", len(image), maxLength)
		case !imageref.Valid(image):
			return fmt.Errorf("not an image reference; write it like %s", example)
		}
		return nil
	}
}

func releaseReference() func(string) error {
	return imageReference("quay.io/openshift-release-dev/ocp-release:4.20.3-multi")
}

// checkReference checks an image that only developers set. 2048 characters are the limit of the NodePool CRD.
func checkReference(image string) error {
	if len(image) > 2048 || strings.ContainsAny(image, " \t\n") {
		return errors.New("not an image reference")
	}
	return nil
}

// checkInfraID follows the CRD, but allows at most the length of a label value.
func checkInfraID(id string) error {
	if len(id) > validation.LabelValueMaxLength || !infraIDForm.MatchString(id) {
		return fmt.Errorf("must consist of lower case letters, digits and dashes, begin and end with a letter or digit, "+
			"and have at most %d characters", validation.LabelValueMaxLength)
	}
	return nil
}

// checkPause follows the CRD.
func checkPause(s string) error {
	if slices.Contains([]string{"true", "false", "True", "False"}, s) {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, s); err != nil || len(s) > 35 {
		return errors.New("must be true, false or a time like 2030-01-02T03:04:05Z")
	}
	return nil
}

func checkDuration(s string) error {
	if strings.HasPrefix(s, "-") {
		return errors.New("cannot be negative; 0 is without limit")
	}
	return nil
}

func checkNoProxy(s string) error {
	if _, err := netip.ParsePrefix(s); s == "" || strings.ContainsAny(s, " ,/") && err != nil {
		return errors.New("neither a domain nor an address nor a network")
	}
	return nil
}
