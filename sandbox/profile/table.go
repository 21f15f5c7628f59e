package profile

import (
	"crypto/sha256"
	"fmt"
)

// kubeVirts maps MinorNumber, the Y of 4.Y, to the version of KubeVirt in OpenShift Virtualization 4.Y and in the
// upstream HyperConverged Cluster Operator 1.Y-4. The patch levels are those of one time.
var kubeVirts = map[int]string{
	12: "v0.58.1", 13: "v0.59.2", 14: "v1.0.1", 15: "v1.1.1", 16: "v1.2.2", 17: "v1.3.1", 18: "v1.4.1", 19: "v1.5.3",
	20: "v1.6.2", 21: "v1.7.0", 22: "v1.8.4", 23: "v1.9.0", 24: "v1.9.0",
}

// OpenShiftOf returns the release of the operators that a version belongs to: OpenShift 4.20 for the upstream build
// 1.16.0 of OpenShift Virtualization. Other versions, such as multicluster engine's, stay as they are.
func OpenShiftOf(operator string) string {
	var y int
	if _, err := fmt.Sscanf(operator, "1.%d.", &y); err == nil {
		return MinorName(y + 4)
	}
	return operator
}

// KubeVirtOf returns the version of KubeVirt that a HyperConverged Cluster Operator deploys, or "" if it is unknown.
// operator is the version of OpenShift Virtualization, such as 4.20.1, or of the upstream build, such as 1.16.0.
func KubeVirtOf(operator string) string {
	return kubeVirts[MinorNumber(OpenShiftOf(operator))]
}

// bareMetal returns a bare-metal OpenShift with three control-plane and three worker nodes, and these minor versions of
// multicluster-engine.
func bareMetal(version string, engines ...string) Profile {
	p := Profile{
		About:     "three control-plane and three worker nodes, nothing installed",
		OpenShift: version,
		// The digest is made up. The sandbox asks no registry for it.
		ReleaseImage: fmt.Sprintf("quay.io/openshift-release-dev/ocp-release@sha256:%x",
			sha256.Sum256([]byte("release "+version))),
		KubeVirt: KubeVirtOf(version),
		Nodes:    Nodes{Masters: 3, Workers: 3},
	}
	for _, v := range engines {
		p.MCEChannels = append(p.MCEChannels, mce(v))
	}
	return p
}

// profiles returns the table of profiles.
func profiles() map[string]Profile {
	ocp420 := func(about string, change func(*Profile)) Profile {
		p := bareMetal("4.20.3", "2.10")
		p.ReleaseImage = "quay.io/openshift-release-dev/ocp-release@sha256:" +
			"3f7a5f9e2a0c1c6e5f9d1b8b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d2e1f0a4203"
		if change != nil {
			p.About = about
			change(&p)
		}
		return p
	}
	mirror := func(lacks ...string) *Mirror {
		return &Mirror{Registry: "registry.mgmt.example.com:5000", Catalog: "cs-redhat-operator-index-v4-20", Lacks: lacks}
	}
	return map[string]Profile{
		"ocp-4.12": bareMetal("4.12.45", "2.2"),
		"ocp-4.13": bareMetal("4.13.40", "2.3"),
		"ocp-4.14": bareMetal("4.14.38", "2.4", "2.5", "2.6"),
		"ocp-4.15": bareMetal("4.15.44", "2.5"),
		"ocp-4.16": bareMetal("4.16.21", "2.6", "2.7", "2.8"),
		"ocp-4.17": bareMetal("4.17.27", "2.7"),
		"ocp-4.18": bareMetal("4.18.9", "2.8"),
		"ocp-4.19": bareMetal("4.19.16", "2.9"),
		"ocp-4.20": ocp420("", nil),
		"ocp-4.21": bareMetal("4.21.1", "2.11"),
		"ocp-4.22": bareMetal("4.22.1", "2.17"),
		// Not out when this was written: facts of the vendors' branches.
		"ocp-4.23": bareMetal("4.23.1", "5.0"),
		"ocp-5.0":  bareMetal("5.0.1", "5.0"),
		"ocp-5.1":  bareMetal("5.1.1", "5.1"),

		"ready": ocp420("everything hosted clusters need is installed", func(p *Profile) { p.Birth = Ready }),
		"newest": ocp420("as ready, with the newest HyperShift instead of multicluster engine's", func(p *Profile) {
			p.Birth = Ready
			p.MCEChannels[0].HyperShift = NewestHyperShift
		}),
		"acm": ocp420("Advanced Cluster Management is installed: its MultiClusterHub owns the MultiClusterEngine",
			func(p *Profile) { p.Birth = ACM }),
		"real": ocp420("as ready, with the vendor's own HyperShift and Cluster API; make sandbox-real builds them",
			func(p *Profile) { p.Birth, p.VendorHyperShift = Ready, true }),
		"gitops": ocp420("as ready, with the vendor's own Argo CD; make sandbox-gitops builds it",
			func(p *Profile) { p.Birth, p.ArgoCD = Ready, true }),
		"disconnected": ocp420("no way to the vendors' registries; MetalLB's operator is not in the mirrored catalog",
			func(p *Profile) { p.Mirror = mirror("metallb-operator") }),
		"disconnected-mirrored": ocp420("no way to the vendors' registries; every operator is in the mirrored catalog",
			func(p *Profile) { p.Mirror = mirror() }),
		"no-olm": ocp420("installed without the Operator Lifecycle Manager and the marketplace",
			func(p *Profile) { p.NoOLM = true }),
		"compact": ocp420("three nodes that are control plane and workers", func(p *Profile) { p.Nodes = Nodes{Masters: 3} }),
		"sno":     ocp420("one node that is everything", func(p *Profile) { p.Nodes = Nodes{Masters: 1} }),
	}
}
