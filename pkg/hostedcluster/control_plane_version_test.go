package hostedcluster

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

func TestControlPlaneVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		status string
		want   ControlPlaneVersion
		known  bool
	}{
		"an older operator": {status: `{}`},
		"another type":      {status: `{controlPlaneVersion: 4.20.3}`},
		"nothing in it":     {status: `{controlPlaneVersion: {history: [1, {state: 2}]}}`},
		"the first": {`{controlPlaneVersion: {desired: {version: 4.20.3, image: r@d},
				history: [{version: 4.20.3, state: Partial}]}}`,
			ControlPlaneVersion{Desired: "4.20.3", DesiredImage: "r@d", Latest: "4.20.3"}, true},
		"no history": {`{controlPlaneVersion: {desired: {version: 4.20.3}}}`, ControlPlaneVersion{Desired: "4.20.3"}, true},
		"after a release that was left": {`{controlPlaneVersion: {desired: {version: 4.20.3}, history: [
				{version: 4.20.3, state: Partial}, {version: 4.20.2, state: Partial}, {version: 4.20.1, state: Completed},
				{version: 4.20.0, state: Completed}]}}`,
			ControlPlaneVersion{Desired: "4.20.3", Latest: "4.20.3", Completed: "4.20.1"}, true},
		"done": {`{controlPlaneVersion: {desired: {version: 4.20.3}, history: [{version: 4.20.3, state: Completed}]}}`,
			ControlPlaneVersion{Desired: "4.20.3", Latest: "4.20.3", Completed: "4.20.3", Done: true}, true},
	} {
		var object map[string]any
		if err := yaml.Unmarshal([]byte("status: "+tc.status), &object); err != nil {
			t.Fatal(err)
		}
		if got, known := controlPlaneVersionOf(object); got != tc.want && known || known != tc.known {
			t.Errorf("%s: %+v, %t; want %+v, %t", name, got, known, tc.want, tc.known)
		}
	}
}
