package network

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/e2e/program"
	"github.com/hcctl/hcctl/e2e/world"
	"github.com/hcctl/hcctl/internal/faultproxy"
)

// pair is one weather over one course.
type pair struct {
	*testing.T
	w *world.World
	course
	weather
	// usual is how many requests the course takes undisturbed.
	usual int
	proxy *faultproxy.Proxy
	hcctl *program.Program
	// events are how often something happened to all connections at once.
	events atomic.Int32
	// credential is the file that holds what the command for credentials prints.
	credential string

	mu     sync.Mutex
	chance *rand.Rand
	blowAt time.Time
	asides sync.WaitGroup
}

// between is a number by chance, both ends included.
func (p *pair) between(least, most int64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return least + p.chance.Int64N(most-least+1)
}

// check fails the test for an error, from any goroutine.
func (p *pair) check(err error) {
	if err != nil {
		p.Errorf("bring the weather about: %v", err)
	}
}

// now makes one in five of the matching requests meet the fault, at random; among the first five, one of the first
// soonest.
func (p *pair) now(of func(*http.Request) bool, soonest int64, fault func() faultproxy.Fault) {
	var mu sync.Mutex
	count, hit := int64(0), int64(0)
	p.proxy.Use(func(_ int, r *http.Request) faultproxy.Fault {
		if !of(r) {
			return faultproxy.Pass()
		}
		mu.Lock()
		defer mu.Unlock()
		if count%oneIn == 0 {
			hit = count + p.between(0, soonest-1)
			soonest = oneIn
		}
		count++
		if count-1 == hit {
			return fault()
		}
		return faultproxy.Pass()
	})
}

// earliest is the first request at which something happens: by then the API server has answered. One that never has is
// not waited for.
const earliest = 4

// once has something happen at one request of the run, which chance picks.
func (p *pair) once(do func()) { p.at(do, p.between(earliest, int64(p.usual)*2/3)) }

// late has something happen at one request when watches have begun.
func (p *pair) late(do func()) { p.at(do, p.between(int64(p.usual)*3/5, int64(p.usual)*3/4)) }

// thrice has something happen at three requests.
func (p *pair) thrice(do func()) {
	third := max(earliest, int64(p.usual)*2/9)
	p.at(do, p.between(earliest, third), p.between(third+1, 2*third), p.between(2*third+1, 3*third))
}

func (p *pair) at(do func(), requests ...int64) {
	p.Logf("at requests %v of about %d", requests, p.usual)
	p.proxy.Before(func(n int, _ *http.Request) {
		for _, at := range requests {
			if int64(n) == at {
				p.mu.Lock()
				p.blowAt = time.Now()
				p.mu.Unlock()
				p.events.Add(1)
				do()
			}
		}
	})
}

// blow is when it last happened.
func (p *pair) blow() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.blowAt
}

// aside does something beside the request that it happens at.
func (p *pair) aside(do func()) { p.asides.Go(do) }

// later does something after a while, aside.
func (p *pair) later(after time.Duration, do func()) {
	p.aside(func() {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-p.Context().Done():
		}
		do()
	})
}

// renew lets the token expire; the command has another from now on.
func (p *pair) renew() {
	token := "token-" + world.Mark()
	p.mu.Lock()
	p.check(p.print(token))
	p.mu.Unlock()
	p.proxy.Accept(token)
	p.proxy.Cut()
}

// print has the command for credentials print the token.
func (p *pair) print(token string) error {
	data, err := json.Marshal(
		map[string]any{
			"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
			"status": map[string]any{"token": token},
		},
	)
	if err != nil {
		return err
	}
	beside := p.credential + ".new"
	if err := os.WriteFile(beside, data, 0o600); err != nil {
		return err
	}
	return os.Rename(beside, p.credential)
}

// begin makes the proxy and hcctl before it.
func (p *pair) begin() {
	p.Helper()
	proxy, err := faultproxy.Start(p.Context(), p.w.Sandbox.Kubeconfig, p.TempDir())
	if err != nil {
		p.Fatal(err)
	}
	p.proxy = proxy
	kubeconfig := proxy.Kubeconfig
	if p.renews {
		dir := p.TempDir()
		p.credential, kubeconfig = filepath.Join(dir, "credential.json"), filepath.Join(dir, "kubeconfig")
		user := faultproxy.WithCommand("cat", p.credential)
		if err := p.print(proxy.Token); err != nil {
			p.Fatal(err)
		}
		p.write(kubeconfig, user)
	}
	p.hcctl = p.w.Program(p.T, kubeconfig, proxy.Token, "token-MARK")
}

func (p *pair) write(path string, user *clientcmdapi.AuthInfo) {
	p.Helper()
	data, err := p.proxy.KubeconfigFor(user)
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		p.Fatal(err)
	}
}

// run is the course under the weather, and what is promised of it. want is what an undisturbed course leaves.
func (p *pair) run(name string, want map[string]string) {
	p.Helper()
	if p.existing {
		p.w.Direct.Must(p.T, createArgs(p.w, name)...)
	}
	if p.plant != nil {
		p.plant(p.T, p.w, name)
	}
	args := p.args(p.T, p.w, name)
	p.begin()
	p.over(p)
	run := p.hcctl.Start(p.T, append(args, p.flags...)...)
	if p.away {
		p.aside(func() { p.hears(run) })
	}
	e := run.Wait(p.T)
	p.asides.Wait()
	p.ended(e)
	p.proxy.Before(nil)
	p.proxy.Use(nil)

	again := p.w.Direct.Run(p.T, args...)
	p.settled(again)
	world.Compare(
		p.T, want, left(p.T, p.w, p.course, name),
		fmt.Sprintf("%s over %s, and once more undisturbed", p.weather.name, p.course.name),
	)
	if p.intact != nil {
		p.intact(p.T, p.w, name)
	}
	cleared(p.T, p.w.Direct, p.course, name)
}

// What hcctl says when the API server is away, and back.
const (
	saysAway = "The API server does not answer"
	saysBack = "The API server answers again"
)

// promised is within what time it says that the API server is away.
const promised = time.Second

// hears holds hcctl to that.
func (p *pair) hears(run *program.Running) {
	for !strings.Contains(run.Err(), saysAway) {
		select {
		case <-run.Over():
			return // ended says so
		case <-time.After(10 * time.Millisecond):
		}
	}
	after := time.Since(p.blow())
	p.Logf("told after %s that the API server is away", after.Round(10*time.Millisecond))
	if after > promised+slack {
		p.Errorf("it took %s to say that the API server is away, promised is %s", after, promised)
	}
}

// slack is what a busy machine may take besides.
const slack = 2 * time.Second
