// Package monitoring plays the alerts of hcctl exporter with Prometheus' own engine. It is a module of its own, so that
// nothing of Prometheus is needed for hcctl.
package monitoring

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

const (
	metricsFile   = "../../pkg/fleet/exporter/testdata/metrics.txt"
	rulesFile     = "../../pkg/fleet/exporter/rules.yaml"
	dashboardFile = "../../pkg/fleet/exporter/dashboard.json"
)

var promql = parser.NewParser(parser.Options{})

// exported are the metrics of the exporter's example, read by Prometheus' own parser, with the names of their labels.
func exported(t *testing.T) map[string]map[string]bool {
	t.Helper()
	data, err := os.ReadFile(metricsFile)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]map[string]bool{}
	series := map[string]bool{}
	p := textparse.NewPromParser(data, labels.NewSymbolTable(), false)
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var l labels.Labels
		p.Labels(&l)
		if series[l.String()] {
			t.Errorf("%s is there twice", l)
		}
		series[l.String()] = true
		name := l.Get(model.MetricNameLabel)
		if found[name] == nil {
			found[name] = map[string]bool{}
		}
		l.Range(func(l labels.Label) { found[name][l.Name] = true })
	}
}

// asks fails the test unless every metric and label that a query selects is exported.
func asks(t *testing.T, metrics map[string]map[string]bool, where, query string) {
	t.Helper()
	expression, err := promql.ParseExpr(query)
	if err != nil {
		t.Errorf("%s: %s: %v", where, query, err)
		return
	}
	parser.Inspect(expression, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			for _, m := range s.LabelMatchers {
				if !metrics[s.Name][m.Name] {
					t.Errorf("%s: %s: there is no %s with label %s", where, query, s.Name, m.Name)
				}
			}
		}
		return nil
	})
}

func TestDashboard(t *testing.T) {
	data, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(data, &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics, queries := exported(t), 0
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			queries++
			asks(t, metrics, p.Title, strings.ReplaceAll(target.Expr, "$namespace", ".*"))
		}
	}
	if queries < len(dashboard.Panels) || queries < 10 {
		t.Errorf("%d queries in %d panels", queries, len(dashboard.Panels))
	}
}

// well is a fleet without trouble: one cluster that is ready, one that is stopped on purpose.
const well = `load 1m
  hcctl_build_info{version="1.0"} 1x300
  hcctl_exporter_source_up{kind="HostedCluster"} 1x300
  hcctl_exporter_source_up{kind="NodePool"} 1x300
  hcctl_hosted_cluster_state{cluster_namespace="clusters",name="good",phase="ready",health="ok"} 1x300
  hcctl_hosted_cluster_state{cluster_namespace="clusters",name="off",phase="stopped",health="warning"} 1x300
  hcctl_hosted_cluster_created_timestamp_seconds{cluster_namespace="clusters",name="good"} 0x300
  hcctl_hosted_cluster_expiry_timestamp_seconds{cluster_namespace="clusters",name="good",what="dex"} 31536000x300
  hcctl_node_pool_nodes{cluster_namespace="clusters",name="good",cluster="good"} 2x300
  hcctl_node_pool_desired_nodes{cluster_namespace="clusters",name="good",cluster="good"} 2x300
  hcctl_node_pool_nodes{cluster_namespace="clusters",name="off",cluster="off"} 0x300
  hcctl_node_pool_desired_nodes{cluster_namespace="clusters",name="off",cluster="off"} 0x300
`

// TestAlerts: each alert fires after its time and not before, about what is in trouble and nothing else.
func TestAlerts(t *testing.T) {
	const bad = `cluster_namespace="clusters",name="bad"`
	cases := map[string]struct {
		series string
		// quiet is the last minute without the alert, fires the first minute that must have it.
		quiet, fires int
		about        string
	}{
		"HostedClusterBroken":  {`hcctl_hosted_cluster_state{` + bad + `,phase="ready",health="broken"} 1x300`, 4, 6, "bad"},
		"HostedClusterFailing": {`hcctl_hosted_cluster_state{` + bad + `,phase="ready",health="failing"} 1x300`, 14, 16, "bad"},
		"HostedClusterCreationSlow": {`hcctl_hosted_cluster_state{` + bad + `,phase="creating",health="progressing"} 1x300
  hcctl_hosted_cluster_created_timestamp_seconds{` + bad + `} 0x300`, 60, 67, "bad"},
		"HostedClusterDeletionSlow": {`hcctl_hosted_cluster_deletion_timestamp_seconds{` + bad + `} 0x300`, 60, 67, "bad"},
		"HostedClusterUpgradeSlow": {`hcctl_hosted_cluster_state{` + bad + `,phase="upgrading",health="progressing"} 1x300
  hcctl_hosted_cluster_rollout_started_timestamp_seconds{` + bad + `} 0x300`, 120, 127, "bad"},
		// An end counts as soon when 14 days are left, 1209600 seconds: here after an hour.
		"HostedClusterExpiresSoon": {`hcctl_hosted_cluster_expiry_timestamp_seconds{` + bad + `,what="dex"} 1213200x300`, 119, 122,
			"The dex of hosted cluster clusters/bad"},
		"HostedClusterExpired": {`hcctl_hosted_cluster_expiry_timestamp_seconds{` + bad + `,what="dex"} 3600x300`, 64, 66, "bad"},
		"NodePoolLacksNodes": {`hcctl_node_pool_nodes{` + bad + `,cluster="bad"} 1x300
  hcctl_node_pool_desired_nodes{` + bad + `,cluster="bad"} 3x300`, 59, 61, "bad"},
		"HcctlExporterBlind": {`hcctl_exporter_source_up{kind="Blind"} 0x300`, 9, 11, "Blind"},
		"HcctlExporterGone":  {"", 9, 11, ""},
	}
	groups, problems := rulefmt.ParseFile(rulesFile, false, model.UTF8Validation, promql, promslog.NewNopLogger())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	metrics := exported(t)
	var names []string
	for _, rule := range groups.Groups[0].Rules {
		names = append(names, rule.Alert)
		asks(t, metrics, rule.Alert, rule.Expr)
		c, known := cases[rule.Alert]
		if !known {
			t.Errorf("%s is not played", rule.Alert)
			continue
		}
		t.Run(rule.Alert, func(t *testing.T) {
			input := well + "  " + c.series + "\n"
			if rule.Alert == "HcctlExporterGone" {
				input = "load 1m\n  up 1x300\n"
			}
			if first := firing(t, rule, input, 200); first.minute <= c.quiet || first.minute > c.fires ||
				!strings.Contains(first.text, c.about) {
				t.Errorf("it fires at minute %d, want %d to %d, about %q: %s", first.minute, c.quiet+1, c.fires, c.about, first.text)
			} else if strings.Contains(first.text, "good") || strings.Contains(first.text, "<no value>") {
				t.Errorf("it says %s", first.text)
			}
			if none := firing(t, rule, well, 200); none.minute >= 0 {
				t.Errorf("in a fleet without trouble it fires at minute %d: %s", none.minute, none.text)
			}
		})
	}
	if want := slices.Sorted(maps.Keys(cases)); !slices.Equal(slices.Sorted(slices.Values(names)), want) {
		t.Errorf("there are %v, want %v", names, want)
	}
}

// fired is the first minute in which an alert fired, or -1, and what it said.
type fired struct {
	minute int
	text   string
}

func firing(t *testing.T, rule rulefmt.Rule, input string, minutes int) fired {
	t.Helper()
	storage := promqltest.LoadedStorage(t, input)
	engine := promqltest.NewTestEngine(t, false, 5*time.Minute, 100000)
	expression, err := promql.ParseExpr(rule.Expr)
	if err != nil {
		t.Fatal(err)
	}
	alert := rules.NewAlertingRule(rule.Alert, expression, time.Duration(rule.For), 0, labels.FromMap(rule.Labels),
		labels.FromMap(rule.Annotations), labels.EmptyLabels(), "", true, promslog.NewNopLogger())
	query := rules.EngineQueryFunc(engine, storage)
	for minute := range minutes {
		at := time.Unix(int64(minute)*60, 0)
		if _, err := alert.Eval(t.Context(), 0, at, query, nil, 0); err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, a := range alert.ActiveAlerts() {
			if a.State == rules.StateFiring {
				said = append(said, a.Labels.String()+" "+a.Annotations.String())
			}
		}
		if len(said) > 0 {
			return fired{minute, strings.Join(said, "; ")}
		}
	}
	return fired{minute: -1}
}
