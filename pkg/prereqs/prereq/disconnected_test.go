package prereq

import (
	"testing"

	configv1 "github.com/openshift/api/config/v1"
)

func TestCatalogsOff(t *testing.T) {
	hub := func(all bool, sources ...configv1.HubSource) *configv1.OperatorHub {
		return &configv1.OperatorHub{Spec: configv1.OperatorHubSpec{DisableAllDefaultSources: all, Sources: sources}}
	}
	on, off := configv1.HubSource{Name: "redhat-operators"}, configv1.HubSource{Name: "community-operators",
		Disabled: true}
	for want, hubs := range map[bool][]*configv1.OperatorHub{true: {hub(true), hub(true, off)},
		false: {hub(false), hub(false, off), hub(true, off, on)}} {
		for _, h := range hubs {
			if got := catalogsOff(h); got != want {
				t.Errorf("%+v: %t", h.Spec, got)
			}
		}
	}
}
