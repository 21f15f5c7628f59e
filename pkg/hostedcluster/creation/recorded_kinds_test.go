package creation

import (
	"net/http"
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/internal/hostedtest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
	"github.com/hcctl/hcctl/pkg/step"
)

// The pull Secret lists the kinds of what is made besides; one that an earlier create did not list takes the list away.
func TestKindsOfManifestsAreRecorded(t *testing.T) {
	kinds := func(w *hostedtest.World) (any, bool) {
		meta := metaOf(w.Of("Secret").Object("clusters", "kv-00-pull-secret"))
		v, is := meta["annotations"].(hostedtest.Object)[hostedcluster.KindsAnnotation]
		return v, is
	}
	withService := optionstest.With(t, "")
	withService.Wait, withService.AllowKinds = options.WaitNone, []string{"Service"}
	withService.Manifests = []options.File{{Path: "a.yaml",
		Content: []byte("{apiVersion: v1, kind: Service, metadata: {name: a}}")}}
	plain, more := flags(t, ""), optionstest.Valid(t, withService)
	if got, is := kinds(created(t, more)); !is || got != "Service.v1." {
		t.Errorf("recorded %v", got)
	}
	w := created(t, plain)
	if got, is := kinds(w); !is || got != "" {
		t.Errorf("recorded %v", got)
	}
	p := prepared(t, w, more)
	const id = "objects/service-a"
	w.Refuse("patch "+hostedtest.SecretsPath+"/kv-00-pull-secret", http.StatusBadRequest)
	fails(t, p.Steps(), id, "Secret clusters/kv-00-pull-secret: ")
	w.Allow()
	does(t, p.Steps(), id, step.Created)
	if got, is := kinds(w); is {
		t.Errorf("still recorded: %v", got)
	}
}
