package metallb

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

var poolKind = schema.GroupVersionKind{Group: "metallb.io", Version: "v1beta1", Kind: "IPAddressPool"}

// webhooks are those of metallb-operator-webhook-server. The rules and messages are MetalLB 0.15's for the fields here;
// BGP kinds are not validated.
func (m *metalLB) webhooks() framework.Webhooks {
	ops := []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update}
	return framework.Webhooks{
		Name: "metallb-webhook-configuration", Namespace: metallbNamespace,
		RefusesFor: m.Faults.DurationOf(fault.WebhookRefuses, webhookDelay),
		Rules: []framework.WebhookRule{
			{Name: "ipaddresspoolvalidationwebhook.metallb.io", Group: "metallb.io", Version: "v1beta1",
				Resource: "ipaddresspools", Operations: ops, Review: m.validatePool},
			{Name: "l2advertisementvalidationwebhook.metallb.io", Group: "metallb.io", Version: "v1beta1",
				Resource: "l2advertisements", Operations: ops, Review: m.validateAdvertisement},
		},
	}
}

type pool struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Addresses         []string `json:"addresses"`
		ServiceAllocation *struct {
			Namespaces []string `json:"namespaces"`
		} `json:"serviceAllocation"`
	} `json:"spec"`
}

func (m *metalLB) validatePool(ctx context.Context, req admission.Request) error {
	var p pool
	if err := json.Unmarshal(req.Object.Raw, &p); err != nil {
		return err
	}
	if err := rightNamespace(req); err != nil {
		return err
	}
	list := framework.UnstructuredList(poolKind)()
	if err := m.Live.List(ctx, list, framework.InNamespace(metallbNamespace)); err != nil {
		return fmt.Errorf("failed to get existing IPAddressPool objects: %w", err)
	}
	var others []pool
	for _, o := range framework.Items(list) {
		u, ok := framework.AsUnstructured(o)
		if !ok || u.GetName() == p.Metadata.Name {
			continue
		}
		other := pool{Metadata: metav1.ObjectMeta{Name: u.GetName()}}
		if _, err := framework.Read(u, &other.Spec, "spec"); err != nil {
			return err
		}
		others = append(others, other)
	}
	return validPool(p, others)
}

// validPool returns MetalLB's error for pool p beside others.
func validPool(p pool, others []pool) error {
	if len(p.Spec.Addresses) == 0 {
		return fmt.Errorf("parsing address pool %s: pool has no prefixes defined", p.Metadata.Name)
	}
	var taken []addressRange
	for _, o := range others {
		for _, a := range o.Spec.Addresses {
			// Stored pools were validated at creation.
			if s, err := parseRange(a); err == nil {
				taken = append(taken, s)
			}
		}
	}
	for _, a := range p.Spec.Addresses {
		s, err := parseRange(a)
		if err != nil {
			return fmt.Errorf("parsing address pool %s: invalid CIDR %q in pool %q: %w", p.Metadata.Name, a, p.Metadata.Name,
				err)
		}
		for _, t := range taken {
			// MetalLB names the first overlapping CIDRs of both; a range counts as its list of CIDRs.
			if s.overlaps(t) {
				return fmt.Errorf("CIDR %q in pool %q overlaps with already defined CIDR %q", s.text, p.Metadata.Name, t.text)
			}
		}
		taken = append(taken, s)
	}
	if al := p.Spec.ServiceAllocation; al != nil {
		sorted := slices.Sorted(slices.Values(al.Namespaces))
		if len(slices.Compact(sorted)) < len(al.Namespaces) {
			return fmt.Errorf("parsing address pool %s: duplicate definition in namespaces field", p.Metadata.Name)
		}
	}
	return nil
}

// addressRange is an inclusive range of addresses.
type addressRange struct {
	first, last netip.Addr
	text        string
}

func (s addressRange) overlaps(o addressRange) bool {
	return s.first.BitLen() == o.first.BitLen() && s.first.Compare(o.last) <= 0 && o.first.Compare(s.last) <= 0
}

// parseRange reads a CIDR or start-end.
func parseRange(s string) (addressRange, error) {
	if !strings.Contains(s, "-") {
		prefix, err := netip.ParsePrefix(s)
		if err != nil {
			return addressRange{}, fmt.Errorf("invalid CIDR %q", s)
		}
		prefix = prefix.Masked()
		return addressRange{prefix.Addr(), lastOf(prefix), prefix.String()}, nil
	}
	parts := strings.SplitN(s, "-", 2)
	first, err := netip.ParseAddr(strings.TrimSpace(parts[0]))
	if err != nil {
		return addressRange{}, fmt.Errorf("invalid IP range %q: invalid start IP %q", s, parts[0])
	}
	last, err := netip.ParseAddr(strings.TrimSpace(parts[1]))
	if err != nil {
		return addressRange{}, fmt.Errorf("invalid IP range %q: invalid end IP %q", s, parts[1])
	}
	if first.BitLen() != last.BitLen() || first.Compare(last) > 0 {
		return addressRange{}, fmt.Errorf("invalid IP range %q: start IP %q is after the end IP %q", s, first, last)
	}
	return addressRange{first, last, s}, nil
}

func lastOf(p netip.Prefix) netip.Addr {
	raw := p.Addr().AsSlice()
	for bit := p.Bits(); bit < len(raw)*8; bit++ {
		raw[bit/8] |= 1 << (7 - bit%8)
	}
	last, _ := netip.AddrFromSlice(raw)
	return last
}

func (m *metalLB) validateAdvertisement(_ context.Context, req admission.Request) error {
	var l2 struct {
		Spec struct {
			IPAddressPools []string `json:"ipAddressPools"`
			Interfaces     []string `json:"interfaces"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(req.Object.Raw, &l2); err != nil {
		return err
	}
	if err := rightNamespace(req); err != nil {
		return err
	}
	// The name of a missing pool is allowed.
	for field, list := range map[string][]string{"ipAddressPools": l2.Spec.IPAddressPools,
		"interfaces": l2.Spec.Interfaces} {
		seen := map[string]bool{}
		for _, name := range list {
			if seen[name] {
				return fmt.Errorf("duplicate definition of %s %q", field, name)
			}
			seen[name] = true
		}
	}
	return nil
}

// rightNamespace is checked at creation only.
func rightNamespace(req admission.Request) error {
	if req.Operation == admissionv1.Create && req.Namespace != metallbNamespace {
		return fmt.Errorf("resource must be created in %s namespace", metallbNamespace)
	}
	return nil
}
