package exporter

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
)

// The ends are exported by class, and a Secret that may not be read makes its source be down.
func TestExpiry(t *testing.T) {
	end := time.Now().Add(20 * 24 * time.Hour).Truncate(time.Second)
	object := func(name string, until time.Time) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Secret\nmetadata: {namespace: clusters-kv-00, name: %s}\n"+
			"data: {tls.crt: %s}\n", name, base64.StdEncoding.EncodeToString(kubetest.NewPairUntil(name, until).Certificate))
	}
	api := kubetest.Serve(t, object("later", end.Add(time.Hour)), object("first", end))
	api.RegisterKinds(t, "apps/v1", "Deployment")
	f := fleetOf(t, Options{Expiry: true}, well("clusters", "kv-00"))
	select {
	case <-f.Ready():
		t.Fatal("it is ready before Secrets were read")
	default:
	}
	f.readExpiry(t.Context(), api.Client)
	<-f.Ready()
	got := text(t, f)
	want := fmt.Sprintf(`%s{cluster_namespace="clusters",name="kv-00",what="control-plane"} `, clusterExpiry)
	value := strings.TrimSpace(strings.Split(strings.Split(got, want)[1], "\n")[0])
	if seconds := fmt.Sprintf("%v", float64(end.Unix())); value != seconds && value != fmt.Sprint(end.Unix()) {
		t.Errorf("the end is %s, want %d", value, end.Unix())
	}
	if strings.Count(got, "\n"+clusterExpiry) != 1 || !strings.Contains(got, sourceUp+`{kind="Secret"} 1`) {
		t.Error(got)
	}
	api.Answer = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/secrets") {
			http.Error(w, `{"kind":"Status","reason":"Forbidden","code":403}`, http.StatusForbidden)
			return true
		}
		return false
	}
	f.readExpiry(t.Context(), api.Client)
	got = text(t, f)
	if strings.Contains(got, "\n"+clusterExpiry) || !strings.Contains(got, sourceUp+`{kind="Secret"} 0`) {
		t.Error(got)
	}
	if got := text(t, fleetOf(t, Options{}, well("clusters", "kv-00"))); strings.Contains(got, `kind="Secret"`) {
		t.Error("a source that is not wanted is shown")
	}
}
