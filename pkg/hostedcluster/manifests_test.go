package hostedcluster

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/golden"
	"github.com/hcctl/hcctl/pkg/kube"
)

func inputs() Inputs {
	return Inputs{
		InfraID:      "kv-00-sffhb",
		ReleaseImage: "registry.example/ocp-release:4.20.3-x86_64", ReleaseVersion: "4.20.3",
		PullSecret:    []byte(goodPullSecret),
		EncryptionKey: []byte("0123456789abcdef0123456789abcdef"),
	}
}

func TestObjectsGolden(t *testing.T) {
	for name, change := range map[string]func(*Options){"minimal": nil, "everything": everything} {
		t.Run(name, func(t *testing.T) {
			got, err := YAML(Objects(named(change), inputs())...)
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", name+".yaml"), string(got))
		})
	}
}

func TestRender(t *testing.T) {
	t.Run("secrets are left out", func(t *testing.T) {
		r, err := Render(named(everything), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, obj := range r.Objects {
			if _, ok := obj.(*corev1.Secret); ok {
				t.Errorf("Secret %s is in it", kube.Name(obj))
			}
		}
		if diff := cmp.Diff([]string{"clusters/kv-00-pull-secret", "clusters/kv-00-ssh-key", "clusters/kv-00-etcd-encryption-key"}, r.LeftOut); diff != "" {
			t.Error(diff)
		}
		if len(r.Objects) != 3 {
			t.Errorf("%d objects, want Namespace, HostedCluster and NodePool", len(r.Objects))
		}
	})
	t.Run("secrets are in it if asked for", func(t *testing.T) {
		r, err := Render(named(everything), true)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Objects) != 6 || len(r.LeftOut) != 0 {
			t.Errorf("%d objects, %v left out", len(r.Objects), r.LeftOut)
		}
		for _, obj := range r.Objects {
			if s, ok := obj.(*corev1.Secret); ok && s.Name == "kv-00-etcd-encryption-key" && len(s.Data["key"]) != encryptionKeyLength {
				t.Errorf("the encryption key has %d bytes", len(s.Data["key"]))
			}
		}
	})
	t.Run("what only a server knows must be given", func(t *testing.T) {
		_, err := Render(named(nil), true)
		var first *FlagError
		if !errors.As(err, &first) || first.Flag != "release-image" || !strings.Contains(err.Error(), "--pull-secret: needed") {
			t.Errorf("got %v", err)
		}
	})
}

func TestInfraID(t *testing.T) {
	for _, name := range []string{"a", "kv-00", strings.Repeat("a", 20) + "-b"} {
		id, other := newInfraID(name), newInfraID(name)
		if id == other {
			t.Errorf("%s twice", id)
		}
		if len(id) > 27 || len(validation.IsDNS1123Label(id)) > 0 {
			t.Errorf("%q is no infraID", id)
		}
	}
}
