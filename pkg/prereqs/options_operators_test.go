package prereqs

import (
	"strings"
	"testing"
)

func TestOperatorPinsAreValidated(t *testing.T) {
	for name, tc := range map[string]struct {
		pkg  string
		pin  OperatorOptions
		want string
	}{
		"exact version":        {"multicluster-engine", OperatorOptions{StartingCSV: "multicluster-engine.v2.10.0"}, ""},
		"dated version":        {"local-storage-operator", OperatorOptions{StartingCSV: "local-storage-operator.v4.20.0-202510212154"}, ""},
		"odf version":          {"odf-operator", OperatorOptions{StartingCSV: "odf-operator.v4.16.1-rhodf", Channel: "stable-4.16", CatalogSource: "cs-redhat-operator-index-v4-16"}, ""},
		"community's":          {"community-kubevirt-hyperconverged", OperatorOptions{StartingCSV: "kubevirt-hyperconverged-operator.v1.16.0"}, ""},
		"unknown package":      {"mce", OperatorOptions{}, "operators.mce: hcctl does not install this package; it installs local-storage-operator, "},
		"version alone":        {"multicluster-engine", OperatorOptions{StartingCSV: "2.10.0"}, `operators.multicluster-engine.startingCSV "2.10.0": the versions of this operator are named multicluster-engine.vX.Y.Z`},
		"not three numbers":    {"multicluster-engine", OperatorOptions{StartingCSV: "multicluster-engine.v2.10"}, "named multicluster-engine.vX.Y.Z"},
		"another's version":    {"odf-operator", OperatorOptions{StartingCSV: "ocs-operator.v4.16.1-rhodf"}, "operators.odf-operator.startingCSV"},
		"channel of two words": {"odf-operator", OperatorOptions{Channel: "stable 4.16"}, `operators.odf-operator.channel "stable 4.16"`},
		"catalog by path":      {"odf-operator", OperatorOptions{CatalogSource: "openshift-marketplace/redhat-operators"}, "operators.odf-operator.catalogSource"},
	} {
		t.Run(name, func(t *testing.T) {
			err := operatorPins{tc.pkg: tc.pin}.validate()
			if tc.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
