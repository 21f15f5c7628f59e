package nodepool

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestParseSize(t *testing.T) {
	n := ptr.To[int32]
	for name, tc := range map[string]struct {
		replicas, least, most *int32
		want                  string
		flag                  string
	}{
		"nothing":            {nil, nil, nil, "", "replicas"},
		"fixed":              {n(3), nil, nil, "3", ""},
		"none":               {n(0), nil, nil, "0", ""},
		"negative":           {n(-1), nil, nil, "", "replicas"},
		"both":               {n(3), n(1), n(2), "", "replicas"},
		"fixed with a bound": {n(3), nil, n(5), "", "replicas"},
		"no max":             {nil, n(1), nil, "", "max-replicas"},
		"no min":             {nil, nil, n(1), "", "min-replicas"},
		"min zero":           {nil, n(0), n(3), "", "min-replicas"},
		"upside down":        {nil, n(4), n(3), "", "max-replicas"},
		"autoscaled":         {nil, n(2), n(5), "2 to 5", ""},
		"one size":           {nil, n(2), n(2), "2 to 2", ""},
	} {
		t.Run(name, func(t *testing.T) {
			size, err := ParseSize(tc.replicas, tc.least, tc.most)
			var wrong *options.Error
			switch {
			case tc.flag != "" && (!errors.As(err, &wrong) || wrong.Field != tc.flag):
				t.Errorf("got %v, want an error about --%s", err, tc.flag)
			case tc.flag == "" && (err != nil || size.String() != tc.want):
				t.Errorf("got %s, %v, want %s", size, err, tc.want)
			}
		})
	}
}

func TestParseUntil(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 500, time.UTC)
	for value, want := range map[string]string{
		"": "true", "true": "true", "2h": "2026-03-01T12:00:00Z", "90m": "2026-03-01T11:30:00Z",
		"2026-03-01T12:00:00+02:00": "", "2026-03-01T12:30:00+02:00": "2026-03-01T10:30:00Z",
		"2026-03-02T00:00:00Z": "2026-03-02T00:00:00Z",
		"0s":                   "", "-1h": "", "false": "", "tomorrow": "", "2026-03-02": "",
	} {
		got, err := ParseUntil(value, now)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", value, got, err, want)
		}
	}
}

// pool is a NodePool of that size with annotations, each a name and a value.
func pool(size hostedcluster.Size, pausedUntil string, annotations ...string) *hyperv1.NodePool {
	np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"}}
	if size.Auto {
		np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: int32(size.Min), Max: int32(size.Max)}
	} else {
		np.Spec.Replicas = ptr.To(int32(size.Min))
	}
	if pausedUntil != "" {
		np.Spec.PausedUntil = &pausedUntil
	}
	for i := 0; i < len(annotations); i += 2 {
		metav1.SetMetaDataAnnotation(&np.ObjectMeta, annotations[i], annotations[i+1])
	}
	return np
}

var (
	none  = hostedcluster.Size{}
	three = hostedcluster.Size{Min: 3, Max: 3}
	auto  = hostedcluster.Size{Min: 2, Max: 5, Auto: true}
)

func TestStoppingAndStarting(t *testing.T) {
	for name, tc := range map[string]struct {
		np          *hyperv1.NodePool
		stop, start string
		note        string
	}{
		"never stopped":             {pool(three, ""), "3 -> 0 remember 3", "3 -> 3 remember ", ""},
		"never stopped, autoscaled": {pool(auto, ""), "2 to 5 -> 0 remember 2-5", "2 to 5 -> 2 to 5 remember ", ""},
		"stopped":                   {pool(none, "", hostedcluster.StoppedAnnotation, "3"), "0 -> 0 remember 3", "0 -> 3 remember ", ""},
		"stopped, autoscaled": {pool(none, "", hostedcluster.StoppedAnnotation, "2-5"), "0 -> 0 remember 2-5",
			"0 -> 2 to 5 remember ", ""},
		"empty anyway": {pool(none, ""), "", "", "NodePool kv-00 has no workers anyway"},
		"stopped, then given a size": {pool(three, "", hostedcluster.StoppedAnnotation, "2-5"), "3 -> 0 remember 3", "3 -> 3 remember ",
			"NodePool kv-00 was given 3 nodes since it was stopped"},
		"spoiled annotation": {pool(none, "", hostedcluster.StoppedAnnotation, "lots"), "", "", "not a size"},
	} {
		t.Run(name, func(t *testing.T) {
			told := func(c *PowerChange) string {
				if c == nil {
					return ""
				}
				return c.From.String() + " -> " + c.To.String() + " remember " + c.Remember
			}
			stop, note1 := stopChange(tc.np)
			start, note2 := startChange(tc.np)
			if diff := cmp.Diff([]string{tc.stop, tc.start}, []string{told(stop), told(start)}); diff != "" {
				t.Error(diff)
			}
			if notes := note1 + note2; !strings.Contains(notes, tc.note) || tc.note == "" && notes != "" {
				t.Errorf("notes %q, want %q", notes, tc.note)
			}
		})
	}
}

// A pool is paused with its cluster and resumed with it: what comes back is what it had.
func TestPausingAndResuming(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	const later, past, cluster = "2026-04-01T10:00:00Z", "2026-02-01T10:00:00Z", "2026-03-01T12:00:00Z"
	for name, tc := range map[string]struct {
		// before is the pool before the pause, paused what became of its field in between, if anything.
		before, between string
		want            string
		note            bool
	}{
		"not paused before":              {"", "", "", false},
		"paused by itself":               {"true", "", "true", true},
		"paused by itself until later":   {later, "", later, true},
		"its own pause had passed":       {past, "", "", false},
		"its own pause passes meanwhile": {"2026-03-01T10:30:00Z", "", "", false},
		"changed during the pause":       {"", later, later, true},
	} {
		t.Run(name, func(t *testing.T) {
			np := pool(three, tc.before)
			for range 2 { // the second time as after a run that was killed
				c := pauseChange(np, cluster, cluster, now)
				if c.Until != cluster || c.Remember == nil {
					t.Fatalf("%+v", c)
				}
				np.Spec.PausedUntil = &c.Until
				metav1.SetMetaDataAnnotation(&np.ObjectMeta, PausedAnnotation, *c.Remember)
			}
			if tc.between != "" {
				np.Spec.PausedUntil = &tc.between
			}
			c, note := resumeChange(np, cluster, now.Add(time.Hour))
			if c == nil || c.Until != tc.want || c.Remember != nil {
				t.Errorf("resumed as %+v, want until %q", c, tc.want)
			}
			if (note != "") != tc.note {
				t.Errorf("note %q", note)
			}
		})
	}
}

func TestResumingWhatHcctlDidNotPause(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		own, cluster string
		changes      bool
		note         bool
	}{
		"neither":          {"", "", false, false},
		"together":         {"true", "true", true, false},
		"the pool alone":   {"true", "", false, true},
		"differently":      {"2026-04-01T10:00:00Z", "true", false, true},
		"the cluster only": {"", "true", false, false},
		"long past":        {"2025-04-01T10:00:00Z", "true", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, note := resumeChange(pool(three, tc.own), tc.cluster, now)
			if (c != nil) != tc.changes || (note != "") != tc.note {
				t.Errorf("%+v, %q", c, note)
			}
		})
	}
}

func TestPausingAgainAfterAPauseThatEnded(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	// The cluster's pause has ended by itself, and since then somebody has paused the pool.
	c := pauseChange(pool(three, "true", PausedAnnotation, ""), "2026-02-01T10:00:00Z", "2026-03-01T12:00:00Z", now)
	if c.Remember == nil || *c.Remember != "true" {
		t.Errorf("the pool's own pause is not remembered: %+v", c)
	}
}

func TestStepsFormGraphs(t *testing.T) {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00"}}
	np := pool(three, "")
	t1 := target{Pool: np, Cluster: hc}
	power, _ := stopChange(np)
	for name, steps := range map[string][]step.Step{
		"scale":  (&Scaling{target: t1, To: auto, Wait: WaitNodes}).Steps(),
		"delete": (&Deletion{target: t1, Wait: WaitGone}).Steps(),
		"stop":   (&Power{Cluster: hc, Pools: []PowerChange{*power}, Wait: WaitNodes}).Steps(),
		"pause":  (&Pausing{Cluster: hc, Until: "true", Pools: []PoolPause{pauseChange(np, "", "true", time.Now())}}).Steps(),
		"resume": (&Pausing{Cluster: hc, Pools: []PoolPause{{Name: "kv-00", pool: np}}}).Steps(),
	} {
		if _, err := step.New(steps...); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(steps) < 3 {
			t.Errorf("%s waits for nothing: %d steps", name, len(steps))
		}
	}
	if n := len((&Scaling{target: t1, To: auto, Wait: WaitNone}).Steps()); n != 1 {
		t.Errorf("--wait none: %d steps", n)
	}
}
