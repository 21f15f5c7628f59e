package network

import (
	"net/http"
	"time"

	"github.com/hcctl/hcctl/internal/faultproxy"
)

// weather is what comes over a run of hcctl.
type weather struct {
	name string
	// over brings it about. It is called before hcctl starts.
	over func(p *pair)
	// met counts how often it has come about; nil counts the proxy's faults.
	met func(p *pair) int
	// renews has hcctl get its token from a command.
	renews bool
	// final is what hcctl says of a fault that does not pass, for which it ends with finalCode, or 1 if that is 0.
	final     string
	finalCode int
	// flags are further ones of the command.
	flags []string
	// away is whether the API server is away for so long that it has to be told.
	away bool
	// within is how long the course may take at the longest, where that tells that a time limit holds; 0 where it does
	// not.
	within time.Duration
	// alone is whether the management cluster itself is struck, and nobody else can be on it.
	alone bool
}

// oneIn is how often a request meets a fault: once in so many.
const oneIn = 5

// weathers are all there are.
func weathers() []weather {
	refusal := func(
		name string, code int, reason string, retryAfter time.Duration, of func(*http.Request) bool, soonest int64,
	) weather {
		return weather{name: name, over: func(p *pair) {
			p.now(
				of, soonest,
				func() faultproxy.Fault { return faultproxy.Refuse(code, reason, reason+", on purpose", retryAfter) },
			)
		}}
	}
	return []weather{
		refusal("429", http.StatusTooManyRequests, "TooManyRequests", time.Second, all, oneIn),
		refusal("500", http.StatusInternalServerError, "InternalError", 0, all, oneIn),
		refusal("503", http.StatusServiceUnavailable, "ServiceUnavailable", 0, all, oneIn),
		// An API server answers a conflict to nothing but writes, and an upgrade has no more than three.
		refusal("409", http.StatusConflict, "Conflict", 0, writes, 2),
		{name: "cut", over: func(p *pair) {
			p.now(all, oneIn, func() faultproxy.Fault { return faultproxy.Cut(p.between(0, 300)) })
		}},
		{name: "dropped", over: func(p *pair) {
			p.now(all, oneIn, func() faultproxy.Fault {
				return []faultproxy.Fault{faultproxy.DropBefore(), faultproxy.DropAfter()}[p.between(0, 1)]
			})
		}},
		{name: "slow", over: func(p *pair) {
			p.proxy.Use(func(int, *http.Request) faultproxy.Fault { return faultproxy.Delay(2*time.Second, faultproxy.Pass()) })
		}},
		{name: "unanswered", over: unanswered, within: 4 * time.Minute},
		{name: "half-open", over: func(p *pair) { p.once(p.proxy.Freeze) }, met: struck, within: 3 * time.Minute},
		{name: "away", away: true, met: struck, over: func(p *pair) {
			p.once(func() {
				p.check(p.proxy.Down())
				p.later(awayFor, func() { p.check(p.proxy.Up()) })
			})
		}},
		{
			name: "gone", met: struck, flags: []string{"--timeout", "45s"}, final: saysAway, finalCode: 4,
			within: 2 * time.Minute,
			over: func(p *pair) {
				p.at(func() { p.check(p.proxy.Down()) }, p.between(earliest, max(earliest, int64(p.usual)/3)))
			},
		},
		{
			name: "new certificate", met: struck,
			over: func(p *pair) { p.thrice(func() { p.check(p.proxy.NewCertificate()) }) },
		},
		{
			name: "foreign certificate", met: struck, final: "certificate is not trusted",
			over: func(p *pair) { p.once(func() { p.check(p.proxy.ForeignCertificate()) }) },
		},
		{name: "token expired", met: struck, final: "credentials", over: func(p *pair) {
			p.once(func() { p.proxy.Accept(); p.proxy.Cut() })
		}},
		{name: "token renewed", met: struck, renews: true, over: func(p *pair) { p.thrice(p.renew) }},
		{name: "restart", alone: true, met: struck, over: func(p *pair) {
			p.once(func() { p.aside(func() { p.check(p.w.Order("api-restart")) }) })
		}},
		{name: "compaction", alone: true, met: compacted, over: func(p *pair) {
			p.late(func() {
				p.aside(func() {
					p.check(p.w.Order("compact"))
					p.check(p.w.Order("api-restart"))
				})
			})
		}},
	}
}

// awayFor is how long the API server is away.
const awayFor = 60 * time.Second

func all(*http.Request) bool { return true }

// writes tells requests that an API server could answer with a conflict.
func writes(r *http.Request) bool { return r.Method != http.MethodGet }

// unanswered: three requests of the run get no answer; some of them the API server has heard of.
func unanswered(p *pair) {
	which := map[int]bool{}
	for len(which) < 3 {
		which[int(p.between(earliest, int64(p.usual)*2/3))] = true
	}
	p.proxy.Use(func(n int, _ *http.Request) faultproxy.Fault {
		switch {
		case !which[n]:
			return faultproxy.Pass()
		case n%2 == 0:
			return faultproxy.Hang()
		}
		return faultproxy.HangAfter()
	})
}

// struck counts how often something happened at once to all connections, or to the server.
func struck(p *pair) int { return int(p.events.Load()) }

// compacted counts the lists that were made anew where a watch could not go on: the same path was watched before the
// blow, and is listed after it.
func compacted(p *pair) int {
	watched, again := map[string]bool{}, 0
	for _, r := range p.proxy.Requests() {
		path, watch := watchOf(r)
		switch {
		case watch:
			watched[path] = true
		case watched[path] && struck(p) > 0 && r.Method == http.MethodGet && r.At.After(p.blow()):
			again++
		}
	}
	return again
}
