package creation

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/kube"
)

func TestRender(t *testing.T) {
	t.Run("secrets are left out", func(t *testing.T) {
		r, err := Render(optionstest.Valid(t, optionstest.Named(optionstest.Everything)), false)
		if err != nil {
			t.Fatal(err)
		}
		for _, obj := range r.Objects {
			if _, ok := obj.(*corev1.Secret); ok {
				t.Errorf("Secret %s is in it", kube.Name(obj))
			}
		}
		if diff := cmp.Diff(
			[]string{"clusters/kv-00-pull-secret", "clusters/kv-00-ssh-key", "clusters/kv-00-etcd-encryption-key"},
			r.LeftOut,
		); diff != "" {
			t.Error(diff)
		}
		if len(r.Objects) != 3 {
			t.Errorf("%d objects, want Namespace, HostedCluster and NodePool", len(r.Objects))
		}
	})
	t.Run("secrets are in it if asked for", func(t *testing.T) {
		r, err := Render(optionstest.Valid(t, optionstest.Named(optionstest.Everything)), true)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Objects) != 6 || len(r.LeftOut) != 0 {
			t.Errorf("%d objects, %v left out", len(r.Objects), r.LeftOut)
		}
		for _, obj := range r.Objects {
			if s, ok := obj.(*corev1.Secret); ok && s.Name == "kv-00-etcd-encryption-key" &&
				len(s.Data["key"]) != encryptionKeyLength {
				t.Errorf("the encryption key has %d bytes", len(s.Data["key"]))
			}
		}
	})
	t.Run("what only a server knows must be given", func(t *testing.T) {
		_, err := Render(optionstest.Valid(t, optionstest.Named(nil)), true)
		var first *options.Error
		if !errors.As(err, &first) || first.Field != "releaseImage" ||
			!strings.Contains(optionstest.Flagged(err).Error(), "--pull-secret: needed") {
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

func TestRenderWithWhatOnlyAServerKnows(t *testing.T) {
	for flags, want := range map[string]string{
		"--metallb-pool tenants":                 `--metallb-pool "tenants": not with --render`,
		"--service-publishing-strategy NodePort": `--api-server-address: needed with --render for node ports`,
	} {
		o := optionstest.With(t, flags+" --release-image registry.example/ocp-release:4.20.1-multi")
		_, err := Render(optionstest.Valid(t, o), false)
		if err == nil || !strings.HasPrefix(optionstest.Flagged(err).Error(), want) {
			t.Errorf("%s: got %v", flags, err)
		}
	}
}
