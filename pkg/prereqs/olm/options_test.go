package olm

import (
	"strings"
	"testing"
)

func TestOperatorPinsAreValidated(t *testing.T) {
	for name, tc := range map[string]struct {
		pkg  string
		pin  Pin
		want string
	}{
		"exact version": {"multicluster-engine", Pin{StartingCSV: "multicluster-engine.v2.10.0"}, ""},
		"dated version": {"local-storage-operator", Pin{StartingCSV: "local-storage-operator.v4.20.0-202510212154"},
			""},
		"odf version": {"odf-operator", Pin{StartingCSV: "odf-operator.v4.16.1-rhodf", Channel: "stable-4.16",
			CatalogSource: "cs-redhat-operator-index-v4-16"}, ""},
		"community's": {"community-kubevirt-hyperconverged",
			Pin{StartingCSV: "kubevirt-hyperconverged-operator.v1.16.0"}, ""},
		"unknown package": {"mce", Pin{}, "operators.mce: hcctl does not install this package; it installs " +
			"local-storage-operator, "},
		"version alone": {"multicluster-engine", Pin{StartingCSV: "2.10.0"},
			`operators.multicluster-engine.startingCSV "2.10.0": the versions of this operator are named ` +
				`multicluster-engine.vX.Y.Z`},
		"not three numbers": {"multicluster-engine", Pin{StartingCSV: "multicluster-engine.v2.10"},
			"named multicluster-engine.vX.Y.Z"},
		"another's version": {"odf-operator", Pin{StartingCSV: "ocs-operator.v4.16.1-rhodf"},
			"operators.odf-operator.startingCSV"},
		"channel of two words": {"odf-operator", Pin{Channel: "stable 4.16"}, `operators.odf-operator.channel "stable 4.16"`},
		"catalog by path": {"odf-operator", Pin{CatalogSource: "openshift-marketplace/redhat-operators"},
			"operators.odf-operator.catalogSource"},
	} {
		t.Run(name, func(t *testing.T) {
			err := Pins{tc.pkg: tc.pin}.Validate()
			if tc.want == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}
