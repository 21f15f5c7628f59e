package layout_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/hcctl/hcctl/internal/layout"
)

func TestChecksReadAsTheyAreGiven(t *testing.T) {
	places, err := layout.LiveReads(repository, "pkg")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range places {
		t.Errorf("%s: it is given a kube.Reader and uses a client: read by the Reader", place)
	}
}

func TestLiveReads(t *testing.T) {
	const source = `package p

func (p *plan) there(ctx context.Context, r kube.Reader) error {
	p.look(p.client.Now())
	return r.Get(ctx, p.key, p.object)
}

func (p *plan) live(ctx context.Context, r kube.Reader) error {
	return p.client.Get(ctx, p.key, p.object)
}

func (p *plan) handsOn(r kube.Reader) bool { return there(p.Client) }

func (p *plan) apply() { p.client.Delete() }

func (p *plan) steps() kube.Check {
	return p.client.Reading(func(ctx context.Context, r kube.Reader) step.Finding {
		return p.client.List(ctx)
	})
}
`
	got, err := layout.LiveReads(fstest.MapFS{"pkg/p/p.go": {Data: []byte(source)}}, "pkg")
	if want := []string{"pkg/p/p.go:9", "pkg/p/p.go:12", "pkg/p/p.go:18"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}
