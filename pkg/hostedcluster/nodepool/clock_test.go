package nodepool_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/nodepool"
	"github.com/hcctl/hcctl/pkg/kube"
)

// serverAt is a transport to an API server whose clock is off by skew.
type serverAt struct {
	http.RoundTripper
	skew time.Duration
}

func (s serverAt) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Header.Set("Date", time.Now().Add(s.skew).UTC().Format(http.TimeFormat))
	}
	return answer, err
}

// TestPausesEndByTheServersClock has a pause that is over for one clock only: the operator's decides.
func TestPausesEndByTheServersClock(t *testing.T) {
	const wait = nodepool.WaitNone
	until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	paused := func(hc *hyperv1.HostedCluster) { hc.Spec.PausedUntil = &until }
	for skew, want := range map[time.Duration]bool{0: true, 2 * time.Hour: false} {
		m := manage(t, cluster(paused), pool("a", three))
		cfg := rest.CopyConfig(m.client.Config())
		cfg.Wrap(func(rt http.RoundTripper) http.RoundTripper { return serverAt{rt, skew} })
		c, err := kube.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for name, prepare := range map[string]func() error{
			"scale":  func() error { return prepared(nodepool.PrepareScale(t.Context(), c, "clusters", "a", auto, wait)) },
			"delete": func() error { return prepared(nodepool.PrepareDelete(t.Context(), c, "clusters", "a", wait)) },
			"stop":   func() error { return prepared(nodepool.PrepareStop(t.Context(), c, "clusters", "kv-00", wait)) },
		} {
			err := prepare()
			if refused := (*hostedcluster.PausedError)(nil); errors.As(err, &refused) != want || !want && err != nil {
				t.Errorf("%s, the server's clock is %s ahead: %v", name, skew, err)
			}
		}
	}
}

func prepared[T any](_ T, err error) error { return err }
