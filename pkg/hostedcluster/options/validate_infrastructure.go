package options

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"go4.org/netipx"

	"github.com/hcctl/hcctl/internal/hint"
)

func (o Cluster) parseInfrastructure(v *validated) error {
	var errs []error
	switch {
	case o.InfraNamespace == "" && o.InfraKubeconfigFile.Given():
		errs = append(errs, Errorf("infraKubeconfigFile", o.InfraKubeconfigFile.Path,
			"needs %s, an existing namespace of that cluster", hint.Flag("infra-namespace")))
	case o.InfraNamespace != "" && !o.InfraKubeconfigFile.Given():
		errs = append(errs, Errorf("infraNamespace", o.InfraNamespace, "needs %s, the cluster that it is a namespace of",
			hint.Flag("infra-kubeconfig-file")))
	}
	return errors.Join(append(errs, o.parseStorage(v), o.validateAddresses())...)
}

func (o Cluster) parseStorage(v *validated) error {
	const classes, snapshots = "infraStorageClassMapping", "infraVolumesnapshotClassMapping"
	manual := string(hyperv1.ManualKubevirtStorageDriverConfigType)
	errs := []error{
		eachMapping(classes, o.InfraStorageClassMapping, func(m Mapping) {
			v.InfraStorageClassMapping = append(v.InfraStorageClassMapping, hyperv1.KubevirtStorageClassMapping{
				InfraStorageClassName: m.Infra, GuestStorageClassName: m.Guest, Group: m.Group,
			})
		}),
		eachMapping(snapshots, o.InfraVolumeSnapshotClassMapping, func(m Mapping) {
			v.InfraVolumeSnapshotClassMapping = append(v.InfraVolumeSnapshotClassMapping,
				hyperv1.KubevirtVolumeSnapshotClassMapping{
					InfraVolumeSnapshotClassName: m.Infra, GuestVolumeSnapshotClassName: m.Guest, Group: m.Group,
				})
		}),
	}
	if name := o.GuestDefaultStorageClass; name != "" && !slices.ContainsFunc(v.InfraStorageClassMapping,
		func(m hyperv1.KubevirtStorageClassMapping) bool { return m.GuestStorageClassName == name }) {
		errs = append(errs, Errorf("guestDefaultStorageClass", name, "is not GUEST of a --%s; without mappings "+
			"HyperShift makes the one class that there is the default", flagIn(Fields(), classes)))
	}
	given := len(o.InfraStorageClassMapping) + len(o.InfraVolumeSnapshotClassMapping)
	switch {
	case given > 0 && o.StorageDriver != "" && o.StorageDriver != manual:
		errs = append(errs,
			Errorf("storageDriver", o.StorageDriver, "mappings need the storage driver Manual, which they imply"))
	case given == 0 && o.StorageDriver == manual:
		errs = append(errs, Errorf("storageDriver", o.StorageDriver,
			"needs --%s: the hosted cluster would have no StorageClass; for none at all use None", flagIn(Fields(), classes)))
	case given > 0 && len(o.InfraStorageClassMapping) == 0:
		// The vendor's CLI accepts it, but then the guest has no StorageClass.
		errs = append(errs, Errorf(snapshots, strings.Join(o.InfraVolumeSnapshotClassMapping, " "),
			"needs --%s: the hosted cluster would have no StorageClass that could be snapshotted", flagIn(Fields(), classes)))
	}
	return errors.Join(errs...)
}

// eachMapping parses mappings and calls use for each valid one.
func eachMapping(field string, given []string, use func(Mapping)) error {
	var errs []error
	seen := map[string]string{}
	for _, s := range given {
		m, err := ParseMapping(s)
		switch {
		case err != nil:
			errs = append(errs, Errorf(field, s, "%v", err))
		case len(m.Group) > maxMapped:
			errs = append(errs,
				Errorf(field, s, "the group has %d characters, at most %d are allowed", len(m.Group), maxMapped))
		case seen[m.Guest] != "":
			errs = append(errs, Errorf(field, s, "%s maps to %s already", seen[m.Guest], m.Guest))
		}
		seen[m.Guest] = s
		if err == nil {
			use(m)
		}
	}
	return errors.Join(errs...)
}

// validateAddresses checks the cluster's own MetalLB pool or addresses. Only the cluster can show whether the addresses
// are free.
func (o Cluster) validateAddresses() error {
	var errs []error
	if o.MetalLBPool != "" && len(o.MetalLBAddresses) > 0 {
		errs = append(errs,
			Errorf("metallbPool", o.MetalLBPool, "not together with %s, which makes a pool for this cluster",
				hint.Flag("metallb-addresses")))
	}
	for i, given := range o.MetalLBAddresses {
		r, known := AddressRange(given)
		for _, other := range o.MetalLBAddresses[:i] {
			if before, ok := AddressRange(other); ok && known && r.Overlaps(before) {
				errs = append(errs, Errorf("metallbAddresses", given, "shares addresses with %s; MetalLB refuses that, give each "+
					"address once", other))
			}
		}
	}
	return errors.Join(errs...)
}

// checkAddresses accepts what an IPAddressPool accepts: FIRST-LAST or a network.
func checkAddresses(s string) error {
	const form = "neither FIRST-LAST nor a network; write it like 192.0.2.16-192.0.2.19 or 192.0.2.16/30"
	first, last, ok := strings.Cut(s, "-")
	if !ok {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			return errors.New(form)
		}
		return plainAddress(p.Addr())
	}
	a, errA := netip.ParseAddr(first)
	b, errB := netip.ParseAddr(last)
	switch {
	case errA != nil || errB != nil:
		return errors.New(form)
	case plainAddress(a, b) != nil:
		return plainAddress(a, b)
	case a.Is4() != b.Is4():
		return errors.New("begins and ends in different IP families")
	case b.Less(a):
		return errors.New("ends before it begins")
	}
	return nil
}

// AddressRange parses an entry of an IPAddressPool: FIRST-LAST or a network.
func AddressRange(s string) (netipx.IPRange, bool) {
	if r, err := netipx.ParseIPRange(s); err == nil {
		return r, true
	}
	p, err := netip.ParsePrefix(s)
	return netipx.RangeOfPrefix(p), err == nil
}

// InAddresses reports whether an entry of an IPAddressPool, FIRST-LAST or a network, contains an address.
func InAddresses(s string, at netip.Addr) bool {
	r, ok := AddressRange(s)
	return ok && r.Contains(at)
}

// plainAddress refuses notations that MetalLB and Kubernetes read as another address, or as none.
func plainAddress(all ...netip.Addr) error {
	for _, a := range all {
		switch {
		case a.Is4In6():
			return fmt.Errorf("an IPv4 address written as IPv6; write it as %s", a.Unmap())
		case a.Zone() != "":
			return errors.New("has an address with a zone, which belongs to one machine only")
		}
	}
	return nil
}
