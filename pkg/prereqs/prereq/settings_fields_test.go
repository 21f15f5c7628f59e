package prereq_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestOperatorsFieldsAreThoseOfTheContracts: what is built in is what package contracts has. UPDATE=1 writes it.
func TestOperatorsFieldsAreThoseOfTheContracts(t *testing.T) {
	var kinds []kubetest.FieldsOf
	for _, k := range []kube.Kind{kube.HyperConverged, kube.HyperConvergedV1, kube.MultiClusterEngine, kube.MetalLB,
		kube.StorageCluster, kube.LVMCluster} {
		version := ""
		if len(k.Versions()) > 1 {
			version = k.Version
		}
		kinds = append(kinds, kubetest.FieldsOf{Key: k.Kind + "/" + k.Version, Group: k.Group, Kind: k.Kind,
			Version: version, Bare: true})
	}
	kubetest.GoldenFields(t, "operators.json.gz", kinds...)
}

// TestSettingsAreHeldToTheOperatorToCome has no CRD: the version that the catalog would install decides, and where
// that is not known, nothing is said of the fields.
func TestSettingsAreHeldToTheOperatorToCome(t *testing.T) {
	for name, tc := range map[string]struct {
		kind    kube.Kind
		version string
		fields  string
		want    step.State
		says    string
	}{
		"a misspelled field": {kube.HyperConverged, "4.20.3", `{"liveMigrationConfg": {}}`, step.StateBroken,
			"hcctl.yaml: virtualization.spec.liveMigrationConfg is not a field of HyperConverged of hco.kubevirt.io/v1beta1, " +
				"as 4.20 has it; did you mean liveMigrationConfig?"},
		"a right one": {kube.HyperConverged, "4.20.3", `{"defaultCPUModel": "Cascadelake-Server"}`, step.StateOK,
			"virtualization.spec fit the operators to come"},
		"text for a number": {kube.HyperConverged, "4.20.3", `{"liveMigrationConfig": {"progressTimeout": "1m"}}`,
			step.StateBroken, "liveMigrationConfig.progressTimeout"},
		"a field of v1beta1 in 4.22, which stores v1": {kube.HyperConverged, "4.22.0", `{"defaultCPUModel": "Broadwell"}`,
			step.StateBroken, "hco.kubevirt.io/v1, as 4.22 has it"},
		"a later release's field":   {kube.MetalLB, "4.12.0", `{"bgpBackend": "frr"}`, step.StateBroken, "bgpBackend"},
		"in its release":            {kube.MetalLB, "4.16.0", `{"bgpBackend": "frr"}`, step.StateOK, "fit the operators to come"},
		"multicluster engine":       {kube.MultiClusterEngine, "2.10.1", `{"availability": 1}`, step.StateBroken, "availability"},
		"another version":           {kube.MultiClusterEngine, "2.14.0", `{"nope": 1}`, step.StateOK, "only once the operator is there"},
		"the community's":           {kube.HyperConverged, "1.16.0", `{"nope": 1}`, step.StateOK, "only once the operator is there"},
		"no catalog":                {kube.LVMCluster, "", `{"nope": 1}`, step.StateOK, "only once the operator is there"},
		"a toleration of the nodes": {kube.LVMCluster, "4.20.0", `{"tolerations": [{"kee": "a"}]}`, step.StateBroken, "kee"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &prereq.Settings{Path: "virtualization.spec", File: "hcctl.yaml"}
			if err := s.Read([]byte(tc.fields)); err != nil {
				t.Fatal(err)
			}
			version := func(context.Context, kube.Reader) (*semver.Version, error) {
				if tc.version == "" {
					return nil, errors.New("no catalog has it")
				}
				return semver.NewVersion(tc.version)
			}
			p := prereq.SettingsPrerequisite([]prereq.Planned{{Settings: s, Kind: tc.kind, Version: version}}, prereq.Rights{})
			f := p.Check(t.Context(), kubetest.Serve(t).Client)
			if f.State != tc.want || !strings.Contains(f.Message, tc.says) {
				t.Errorf("%s: %s, want %s: %s", f.State, f.Message, tc.want, tc.says)
			}
		})
	}
}
