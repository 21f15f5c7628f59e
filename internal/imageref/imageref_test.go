package imageref

import (
	"strings"
	"testing"
)

func TestValid(t *testing.T) {
	digest := "@sha256:" + strings.Repeat("0f", 32)
	for text, want := range map[string]bool{
		"quay.io/openshift-release-dev/ocp-release:4.20.3-multi": true,
		"quay.io/openshift-release-dev/ocp-release" + digest:     true,
		"quay.io/ocp-release:4.20.3" + digest:                    true,
		"registry.example.com:5000/tools/hcctl:1.0":              true,
		"[fd00::1]:5000/tools/hcctl":                             true,
		"localhost/hcctl":                                        true,
		"HOST/hcctl":                                             true,
		"hcctl":                                                  true,
		"a__b/c---d.e:X":                                         true,
		"":                                                       false,
		"UPPER:x":                                                false,
		"quay.io/UPPER/x":                                        false,
		"quay.io/a b":                                            false,
		"quay.io/a;b":                                            false,
		"quay.io/a\nb":                                           false,
		"quay.io/a:":                                             false,
		"quay.io/a@sha256:12":                                    false,
		"https://quay.io/a":                                      false,
		"-a/b":                                                   false,
		"quay.io//a":                                             false,
		"quay.io/a/":                                             false,
		"$(id)":                                                  false,
		"quay.io/" + strings.Repeat("a", Longest-8): true,
		"quay.io/" + strings.Repeat("a", Longest-7): false,
	} {
		if got := Valid(text); got != want {
			t.Errorf("Valid(%.60q) is %v, want %v", text, got, want)
		}
	}
}
