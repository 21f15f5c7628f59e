package catalog_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// Install modes, in the order that bundles list them.
const (
	own    = "OwnNamespace"
	single = "SingleNamespace"
	all    = "AllNamespaces"
)

// wantPackage is what the operators' vendors document about a package.
type wantPackage struct {
	catalog, pkg, defaultChannel string
	channels                     []string
	csv, namespace               string
	modes                        []string
	deployments, owned           []string
}

var virtualization = []string{
	"hco-operator", "hco-webhook", "virt-operator", "cdi-operator", "ssp-operator", "cluster-network-addons-operator",
	"hostpath-provisioner-operator",
}

func promises420() []wantPackage {
	return []wantPackage{
		{catalog.RedHat, "local-storage-operator", "stable", []string{"stable"}, "local-storage-operator.v4.20.0-",
			"openshift-local-storage", []string{own, single}, []string{"local-storage-operator"},
			[]string{"localvolumediscoveries.local.storage.openshift.io", "localvolumesets.local.storage.openshift.io"}},
		{catalog.RedHat, "odf-operator", "stable-4.20", []string{"stable-4.20"}, "odf-operator.v4.20.", "openshift-storage",
			[]string{own, single}, []string{"odf-operator-controller-manager", "odf-console"}, nil},
		{catalog.RedHat, "ocs-operator", "stable-4.20", []string{"stable-4.20"}, "ocs-operator.v4.20.", "openshift-storage",
			[]string{own, single}, []string{"ocs-operator"}, []string{"storageclusters.ocs.openshift.io"}},
		{catalog.RedHat, "lvms-operator", "stable-4.20", []string{"stable-4.20"}, "lvms-operator.v4.20.",
			"openshift-lvm-storage",
			[]string{own, single}, []string{"lvms-operator"}, []string{"lvmclusters.lvm.topolvm.io"}},
		{catalog.RedHat, "kubevirt-hyperconverged", "stable", []string{"candidate", "dev-preview", "stable"},
			"kubevirt-hyperconverged-operator.v4.20.", "openshift-cnv", []string{own, single}, virtualization,
			[]string{"hyperconvergeds.hco.kubevirt.io"}},
		{catalog.RedHat, "metallb-operator", "stable", []string{"stable"}, "metallb-operator.v4.20.0-", "metallb-system",
			[]string{all}, []string{"metallb-operator-controller-manager", "metallb-operator-webhook-server"},
			[]string{"metallbs.metallb.io", "ipaddresspools.metallb.io", "l2advertisements.metallb.io"}},
		{catalog.RedHat, "multicluster-engine", "stable-2.10", []string{"stable-2.10"}, "multicluster-engine.v2.10.",
			"multicluster-engine", []string{own, single, all}, []string{"multicluster-engine-operator"},
			[]string{"multiclusterengines.multicluster.openshift.io"}},
		{catalog.RedHat, "advanced-cluster-management", "release-2.15", []string{"release-2.15"},
			"advanced-cluster-management.v2.15.",
			"open-cluster-management", []string{own, single}, []string{"multiclusterhub-operator"},
			[]string{"multiclusterhubs.operator.open-cluster-management.io"}},
		{catalog.Community, "community-kubevirt-hyperconverged", "stable",
			[]string{"1.16.0", "1.18.0", "candidate-v1.16", "candidate-v1.18", "stable"},
			"kubevirt-hyperconverged-operator.v1.16.0", "kubevirt-hyperconverged", []string{all}, virtualization,
			[]string{"hyperconvergeds.hco.kubevirt.io"}},
	}
}

// wantPackages412 lists the packages of OpenShift 4.12 that differ.
func wantPackages412() []wantPackage {
	out := promises420()
	for i := range out {
		p := &out[i]
		for _, s := range []*string{&p.csv, &p.defaultChannel} {
			*s = strings.NewReplacer("4.20", "4.12", "2.10", "2.2", "1.16", "1.8", "2.15", "2.7").Replace(*s)
		}
		for j, c := range p.channels {
			p.channels[j] = strings.NewReplacer("4.20", "4.12", "2.10", "2.2", "1.16", "1.8", "2.15", "2.7").Replace(c)
		}
		switch p.pkg {
		case "lvms-operator":
			p.namespace = "openshift-storage"
		case "odf-operator":
			p.owned = []string{"storagesystems.odf.openshift.io"}
		case "community-kubevirt-hyperconverged": // v1 is on offer from 4.20 on
			p.channels = []string{"1.8.0", "candidate-v1.8", "stable"}
		}
	}
	return out
}

func build(t *testing.T, name string) map[string]catalog.Catalog {
	t.Helper()
	p, err := profile.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	list, err := catalog.For(p, crds.Set)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]catalog.Catalog{}
	for _, c := range list {
		out[c.Name] = c
	}
	return out
}

func TestPackagesAreAsTheVendorsPromise(t *testing.T) {
	for name, promised := range map[string][]wantPackage{
		"ocp-4.20": promises420(), "ready": promises420(), "ocp-4.12": wantPackages412(),
	} {
		catalogs := build(t, name)
		for _, want := range promised {
			t.Run(name+"/"+want.pkg, func(t *testing.T) { checkPackage(t, catalogs, want) })
		}
	}
}

func checkPackage(t *testing.T, catalogs map[string]catalog.Catalog, want wantPackage) {
	pkg, err := catalogs[want.catalog].Package(want.pkg)
	if err != nil {
		t.Fatal(err)
	}
	var channels []string
	for _, c := range pkg.Channels {
		channels = append(channels, c.Name)
		if csv := c.Head().CSV; c.Name == want.defaultChannel && !strings.HasPrefix(csv.Name, want.csv) {
			t.Errorf("channel %s is at %s, want %s...", c.Name, csv.Name, want.csv)
		}
	}
	if !slices.Equal(channels, want.channels) || pkg.DefaultChannel != want.defaultChannel {
		t.Errorf("channels %v, default %q; want %v, %q", channels, pkg.DefaultChannel, want.channels, want.defaultChannel)
	}
	csv := pkg.Channels[0].Head().CSV
	if got := csv.Annotations["operatorframework.io/suggested-namespace"]; got != want.namespace {
		t.Errorf("suggested namespace %q, want %q", got, want.namespace)
	}
	if got := supported(csv); !slices.Equal(got, want.modes) {
		t.Errorf("install modes %v, want %v", got, want.modes)
	}
	var deployments, owned []string
	for _, d := range csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		deployments = append(deployments, d.Name)
	}
	for _, d := range csv.Spec.CustomResourceDefinitions.Owned {
		owned = append(owned, d.Name)
	}
	if !slices.Equal(deployments, want.deployments) {
		t.Errorf("deployments %v, want %v", deployments, want.deployments)
	}
	for _, crd := range want.owned {
		if !slices.Contains(owned, crd) {
			t.Errorf("owned CRDs %v lack %s", owned, crd)
		}
	}
	if want.owned == nil && len(owned) > 0 {
		t.Errorf("owns %v, want nothing", owned)
	}
}

// What bundles changed with a version of their own.
func TestBundlesByVersion(t *testing.T) {
	for _, want := range []struct {
		profile, pkg, modes, kube string
		replicas                  int32
	}{
		{"ocp-4.12", "multicluster-engine", "OwnNamespace SingleNamespace AllNamespaces", "", 2},
		{"ocp-4.21", "multicluster-engine", "OwnNamespace AllNamespaces", "", 2},
		{"ocp-4.12", "advanced-cluster-management", "OwnNamespace SingleNamespace", "", 1},
		{"ocp-4.20", "advanced-cluster-management", "OwnNamespace SingleNamespace", "", 2},
		{"ocp-4.21", "advanced-cluster-management", "OwnNamespace", "", 2},
		{"ocp-4.18", "ocs-operator", "OwnNamespace SingleNamespace", "", 1},
		{"ocp-4.20", "ocs-operator", "OwnNamespace SingleNamespace", "", 1},
		{"ocp-4.20", "ocs-client-operator", "OwnNamespace AllNamespaces", "", 1},
		{"ocp-4.14", "metallb-operator", "AllNamespaces", "", 1},
		{"ocp-4.16", "metallb-operator", "AllNamespaces", "1.26.0", 1},
	} {
		for _, p := range build(t, want.profile)[catalog.RedHat].Packages {
			if p.Name != want.pkg {
				continue
			}
			csv := p.Channels[len(p.Channels)-1].Head().CSV
			replicas := csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Spec.Replicas
			if got := strings.Join(supported(csv), " "); got != want.modes || csv.Spec.MinKubeVersion != want.kube ||
				*replicas != want.replicas {
				t.Errorf("%s: %s: %s, Kubernetes %q, %d pods", want.profile, csv.Name, got, csv.Spec.MinKubeVersion, *replicas)
			}
		}
	}
}

func supported(csv *operatorsv1alpha1.ClusterServiceVersion) []string {
	var out []string
	for _, m := range csv.Spec.InstallModes {
		if m.Supported {
			out = append(out, string(m.Type))
		}
	}
	return out
}

func TestChannelsAreChainsOfUpgrades(t *testing.T) {
	longer := 0
	for _, c := range build(t, "ocp-4.20") {
		for _, p := range c.Packages {
			for _, ch := range p.Channels {
				replaces := ""
				for _, b := range ch.Bundles {
					if b.CSV.Spec.Replaces != replaces {
						t.Errorf("%s/%s: %s replaces %q, want %q", p.Name, ch.Name, b.Name(), b.CSV.Spec.Replaces, replaces)
					}
					replaces = b.Name()
				}
				if len(ch.Bundles) > 1 {
					longer++
				}
			}
		}
	}
	if longer < 4 {
		t.Errorf("%d channels have more than one version, want several: startingCSV would mean nothing", longer)
	}
}

// OpenShift 4.23 has operators with the numbers of 5.0, which is the same release.
func TestOperatorsOfBothNames(t *testing.T) {
	for name, want := range map[string]map[string]string{
		"ocp-4.23": {"local-storage-operator": "stable 5.0.0-", "metallb-operator": "stable 5.0.0-",
			"odf-operator": "stable-5.0 5.0.", "lvms-operator": "stable-4.23 4.23.", "kubevirt-hyperconverged": "stable 4.23.",
			"multicluster-engine": "stable-5.0 5.0."},
		"ocp-5.0": {"local-storage-operator": "stable 5.0.0-", "odf-operator": "stable-5.0 5.0.",
			"lvms-operator": "stable-5.0 5.0.", "multicluster-engine": "stable-5.0 5.0."},
		"ocp-5.1": {"local-storage-operator": "stable 5.1.0-", "multicluster-engine": "stable-5.1 5.1."},
	} {
		catalogs := build(t, name)
		for operator, channel := range want {
			pkg, err := catalogs[catalog.RedHat].Package(operator)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(pkg.Channels, func(c catalog.Channel) bool { return c.Name == pkg.DefaultChannel })
			got := pkg.DefaultChannel + " " + pkg.Channels[i].Bundles[0].CSV.Spec.Version.String()
			if !strings.HasPrefix(got, channel) {
				t.Errorf("%s: %s is %s, want %s", name, operator, got, channel)
			}
		}
	}
}

func TestMCEBundlesMatchTheProfile(t *testing.T) {
	for _, name := range profile.Names() {
		p, err := profile.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		source := catalog.RedHat
		if p.Mirror != nil {
			source = p.Mirror.Catalog
		}
		pkg, err := build(t, name)[source].Package("multicluster-engine")
		if err != nil {
			t.Fatal(err)
		}
		if want := p.MCE().Name; pkg.DefaultChannel != want {
			t.Errorf("profile %s: default channel %s, want %s", name, pkg.DefaultChannel, want)
		}
		if len(pkg.Channels) != len(p.MCEChannels) {
			t.Errorf("profile %s: %d channels, want %d", name, len(pkg.Channels), len(p.MCEChannels))
		}
		for _, ch := range pkg.Channels {
			for _, b := range ch.Bundles {
				if _, ok := p.MCEByVersion(b.CSV.Spec.Version.String()); !ok {
					t.Errorf("profile %s knows nothing of %s", name, b.Name())
				}
			}
		}
	}
}

func TestAMirrorHoldsWhatWasMirrored(t *testing.T) {
	for name, has := range map[string]bool{"disconnected": false, "disconnected-mirrored": true} {
		catalogs := build(t, name)
		mirrored := catalogs["cs-redhat-operator-index-v4-20"]
		if len(catalogs) != 1 || mirrored.Name == "" {
			t.Fatalf("%s: catalogs %v, want the mirrored one alone", name, slices.Collect(maps.Keys(catalogs)))
		}
		if _, err := mirrored.Package("metallb-operator"); (err == nil) != has {
			t.Errorf("%s: metallb-operator is mirrored: %v, want %v", name, err == nil, has)
		}
		if _, err := mirrored.Package("multicluster-engine"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// crd returns a CRD of the newest bundle of a channel.
func crd(t *testing.T, profileName, source, pkg, channel, name string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	p, err := build(t, profileName)[source].Package(pkg)
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range p.Channels {
		if ch.Name != channel {
			continue
		}
		for _, c := range ch.Head().CRDs {
			if c.Name == name {
				return c
			}
		}
	}
	t.Fatalf("%s: no CRD %s in channel %s of %s", profileName, name, channel, pkg)
	return nil
}

func TestCRDsAreThoseOfTheirVersion(t *testing.T) {
	for name, counts := range map[string]bool{"ocp-4.18": false, "ocp-4.20": true} {
		pools := crd(t, name, catalog.RedHat, "metallb-operator", "stable", "ipaddresspools.metallb.io")
		_, got := pools.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["status"].Properties["availableIPv4"]
		if got != counts {
			t.Errorf("%s: pools count their addresses: %v, want %v", name, got, counts)
		}
	}
	for name, want := range map[string]struct {
		channel       string
		named, merged bool
	}{"ocp-4.18": {"stable-2.8", false, false}, "ocp-4.20": {"stable-2.10", true, false},
		"ocp-4.21": {"stable-2.11", true, true}} {
		spec := crd(t, name, catalog.RedHat, "multicluster-engine", want.channel,
			"multiclusterengines.multicluster.openshift.io").
			Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		_, named := spec.Properties["localClusterName"]
		merged := spec.Properties["overrides"].Properties["components"].XListType != nil
		if named != want.named || merged != want.merged {
			t.Errorf("%s: localClusterName %v, components merge by name %v; want %v, %v", name, named, merged, want.named,
				want.merged)
		}
	}
	for _, tc := range []struct {
		profile, catalog, pkg, channel, stored string
		versions                               int
	}{
		{"ocp-4.20", catalog.Community, "community-kubevirt-hyperconverged", "stable", "v1beta1", 1},
		{"ocp-4.20", catalog.Community, "community-kubevirt-hyperconverged", "candidate-v1.18", "v1beta1", 2},
		{"ocp-5.0", catalog.Community, "community-kubevirt-hyperconverged", "stable", "v1", 2},
		{"ocp-4.21", catalog.RedHat, "kubevirt-hyperconverged", "stable", "v1beta1", 1},
		{"ocp-4.22", catalog.RedHat, "kubevirt-hyperconverged", "stable", "v1beta1", 2},
		{"ocp-4.23", catalog.RedHat, "kubevirt-hyperconverged", "stable", "v1", 2},
		{"ocp-5.1", catalog.RedHat, "kubevirt-hyperconverged", "stable", "v1", 2},
	} {
		hco := crd(t, tc.profile, tc.catalog, tc.pkg, tc.channel, "hyperconvergeds.hco.kubevirt.io")
		if len(hco.Spec.Versions) != tc.versions {
			t.Errorf("%s, %s: %d versions of HyperConverged, want %d", tc.profile, tc.pkg, len(hco.Spec.Versions), tc.versions)
		}
		for _, v := range hco.Spec.Versions {
			if v.Storage != (v.Name == tc.stored) || !v.Served {
				t.Errorf("%s, %s: HyperConverged %s is stored: %v, served: %v", tc.profile, tc.pkg, v.Name, v.Storage, v.Served)
			}
		}
	}
}

// From 4.19 on odf-operator requires no package: it subscribes to odf-dependencies itself, as its ConfigMap says.
func TestWhatDataFoundationBringsAlong(t *testing.T) {
	for name, want := range map[string]struct{ requires, config, scalesOn string }{
		"ocp-4.18": {"ocs-operator", "", ""},
		"ocp-4.20": {"", "odf-operator-pkgs-config-4.20.1-rhodf", "cephclusters.ceph.rook.io"},
		"ocp-4.21": {"", "odf-operator-pkgs-config-4.21.1-rhodf",
			"storageclients.ocs.openshift.io cephclusters.ceph.rook.io"},
	} {
		p, err := build(t, name)[catalog.RedHat].Package("odf-operator")
		if err != nil {
			t.Fatal(err)
		}
		b := p.Channels[0].Head()
		if got := strings.Join(slices.Sorted(maps.Keys(b.Requires)), " "); got != want.requires {
			t.Errorf("%s requires %q, want %q", b.Name(), got, want.requires)
		}
		var config, scalesOn string
		for _, o := range b.Others {
			m, ok := o.(*corev1.ConfigMap)
			if !ok {
				continue
			}
			var record catalog.PackageRecord
			if err := yaml.Unmarshal([]byte(m.Data["OCS_CLIENT"]), &record); err != nil {
				t.Fatal(err)
			}
			config, scalesOn = m.Name, strings.Join(record.ScaleUpOnInstanceOf, " ")
		}
		if config != want.config || scalesOn != want.scalesOn {
			t.Errorf("%s: ConfigMap %q, the client's operator is for %q", b.Name(), config, scalesOn)
		}
		if b.CSV.Labels["odf.openshift.io/odf-operator"] == "true" != (want.config != "") {
			t.Errorf("%s: labels %v", b.Name(), b.CSV.Labels)
		}
	}
}

// Bundles of Data Foundation have an example for the console up to 4.18, those of LVM Storage always.
func TestInitializationResourcesOfStorage(t *testing.T) {
	for name, want := range map[string][2]bool{"ocp-4.18": {true, true}, "ocp-4.20": {false, true}} {
		redhat := build(t, name)[catalog.RedHat]
		for i, pkg := range []string{"odf-operator", "lvms-operator"} {
			p, err := redhat.Package(pkg)
			if err != nil {
				t.Fatal(err)
			}
			_, got := p.Channels[0].Head().CSV.Annotations["operatorframework.io/initialization-resource"]
			if got != want[i] {
				t.Errorf("%s: %s has an example: %t, want %t", name, pkg, got, want[i])
			}
		}
	}
}
