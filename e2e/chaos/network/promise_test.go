package network

import (
	"cmp"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// ended holds the run under the weather to what is promised of it.
func (p *pair) ended(e program.Ended) {
	p.Helper()
	met := 0
	if p.met != nil {
		met = p.met(p)
	} else {
		for _, r := range p.proxy.Requests() {
			if r.Met {
				met++
			}
		}
	}
	p.Logf(
		"%s over %s: exit code %d after %s, %d requests, met %d times", p.weather.name, p.course.name, e.Code,
		e.Took.Round(10*time.Millisecond), len(p.proxy.Requests()), met,
	)
	if os.Getenv("HCCTL_CHAOS_SHOW") != "" {
		p.Logf("%s", e)
	}
	if away, back := strings.Count(e.Err, saysAway), strings.Count(e.Err, saysBack); p.away && (away != 1 || back != 1) {
		p.Errorf("told %d times that the API server is away and %d times that it is back, want once each: %s", away, back, e)
	}
	if line := repeated(e.Err); line != "" {
		p.Errorf("told again and again: %q: %s", line, e)
	}
	if p.within > 0 && e.Took > p.within {
		p.Errorf("it took %s, and %s would do for every time limit there is", e.Took, p.within)
	}
	switch {
	case met == 0:
		p.Errorf("the weather has not come about: %s", e)
	case p.final == "" && e.Code != 0:
		p.Errorf("not 0: %s", e)
	case p.final != "" && (e.Code != cmp.Or(p.finalCode, 1) || !strings.Contains(e.Err, p.final) || strings.Count(e.Err, "Error:") != 1):
		p.Errorf("want one error that says %q, and exit code %d: %s", p.final, cmp.Or(p.finalCode, 1), e)
	}
}

// settled: a run that comes when all is done finds that it is.
func (p *pair) settled(e program.Ended) {
	p.Helper()
	switch {
	case p.final != "":
		// What a run had begun may have ended without it: then nothing is left to delete.
		ended := p.gone && e.Code == 1 && strings.Contains(e.Err, "no hosted cluster")
		if e.Code != 0 && !ended {
			p.Errorf("once more, undisturbed: %s", e)
		}
	case p.gone:
		if e.Code != 1 || !strings.Contains(e.Err, "no hosted cluster") {
			p.Errorf("once more, undisturbed, something was left to delete: %s", e)
		}
	case e.Code != 0:
		p.Errorf("once more, undisturbed: %s", e)
	default:
		for _, change := range []string{"created", "configured", "deleted"} {
			if strings.Contains(e.Err, "  "+change) {
				p.Errorf("once more, undisturbed, there was still something to do: %s", e)
				return
			}
		}
	}
}

// often is how often a line may be told: what a step waits for may come and go.
const often = 3

// repeated is a line that is told more often than that, without the time before it; "" if there is none.
func repeated(text string) string {
	count := map[string]int{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if clock, rest, ok := strings.Cut(line, " "); ok {
			if _, err := time.ParseDuration(clock); err == nil {
				line = strings.TrimSpace(rest)
			}
		}
		if count[line]++; line != "" && count[line] > often {
			return line
		}
	}
	return ""
}

// watchOf is what a request watches, or lists.
func watchOf(r faultproxy.Request) (what string, watch bool) {
	u, err := url.Parse(r.URI)
	if err != nil {
		return r.URI, false
	}
	q := u.Query()
	return u.Path + "?" + q.Get("fieldSelector") + "&" + q.Get("labelSelector"), q.Has("watch")
}
