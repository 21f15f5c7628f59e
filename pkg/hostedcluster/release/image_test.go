package release

import (
	"net/http"
	"testing"
)

// TestVersionsOfImages: only the last part of an image's name tells its version.
func TestVersionsOfImages(t *testing.T) {
	for image, want := range map[string]string{
		"quay.io/openshift-release-dev/ocp-release:4.20.3-multi": "4.20.3",
		"ocp-release:4.20.3-x86_64":                              "4.20.3",
		"registry.example:5000/4.19.1/ocp:latest":                "",
		"registry.example:5000/v4.19.1/4.20.3":                   "4.20.3",
		"quay.io/x/y@sha256:4.20.3":                              "",
		"quay.io/x/y:4.20.3@sha256:0123":                         "4.20.3",
		"":                                                       "",
	} {
		if got := TaggedVersion(image); got != want {
			t.Errorf("%s: got %q, want %q", image, got, want)
		}
	}
}

// TestTokenForTheService: the registry's challenge names the service that the token is for.
func TestTokenForTheService(t *testing.T) {
	n := newInternet(t, "4.20.10", releases+":4.20.10-multi")
	var services []string
	n.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v2/auth" {
			services = append(services, r.URL.Query().Get("service"))
		}
		n.ServeHTTP(w, r)
	})
	if _, err := n.find(t, "4-stable-multi", "4.20"); err != nil {
		t.Fatal(err)
	}
	if len(services) != 1 || services[0] != "quay.io" {
		t.Errorf("tokens are asked for the services %q", services)
	}
}
