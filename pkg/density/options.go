package density

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/prereqs"
)

// RunLabel marks the hosted clusters of a run; its value is the run's ID. Only what has it is ever deleted.
const RunLabel = "hcctl.dev/density-run"

// MostClusters bounds Options.Count.
const MostClusters = 1000

// Options are one run.
type Options struct {
	// Run is the run's ID, a label's value; empty means the one that the folder has, else a new one.
	Run string
	// Template is what all clusters are alike in; Wait in it says how far each is followed.
	Template options.Cluster
	// Name is the pattern of the clusters' names, with one %d or %0Nd for the number, which begins at 0.
	Name string
	// Count is how many clusters there are to be, Parallel how many may be under way at once; 0 means all.
	Count, Parallel int
	// Out is the folder of the record and the results.
	Out string
	// Keep leaves the clusters.
	Keep bool
	// Limits say what harm is.
	Limits Limits
	// Timeout bounds each cluster, from when its turn comes, and each deletion; TroubleTimeout is that of the engine.
	Timeout, TroubleTimeout time.Duration
	// SkipPreflight are checks that are left out before anything is created, by ID, or "all".
	SkipPreflight []string
	// Needs says what a cluster needs of the management cluster.
	Needs func(*creation.Plan) prereqs.Wanted
	// Where names the management cluster in the record.
	Where Where
}

// Where is the management cluster.
type Where struct {
	Server     string `json:"server"`
	OpenShift  string `json:"openshift,omitempty"`
	Kubernetes string `json:"kubernetes,omitempty"`
}

// numbered is a pattern for the number in a name.
var numbered = regexp.MustCompile(`%(0[1-9])?d`)

// NameOf is the name of the i-th cluster of a pattern.
func NameOf(pattern string, i int) string {
	return numbered.ReplaceAllStringFunc(pattern, func(p string) string { return fmt.Sprintf(p, i) })
}

// Validate finds what is wrong with the options before any cluster is asked. What is wrong with the template itself is
// not looked at.
func (o Options) Validate() error {
	switch {
	case o.Count < 1 || o.Count > MostClusters:
		return fmt.Errorf("--count %d: give a number between 1 and %d", o.Count, MostClusters)
	case o.Parallel < 0:
		return fmt.Errorf("--parallel %d: it cannot be negative; 0 means all", o.Parallel)
	case len(numbered.FindAllString(o.Name, -1)) != 1 || strings.Count(o.Name, "%") != 1:
		return fmt.Errorf("--name %q: it has one place for the number, such as density-%%03d", o.Name)
	case o.Out == "":
		return fmt.Errorf("--out: name a folder for the record and the results")
	}
	if problems := validation.IsValidLabelValue(o.Run); len(problems) > 0 {
		return fmt.Errorf("--run %q: it becomes a label's value: %s", o.Run, problems[0])
	}
	if err := o.Limits.validate(); err != nil {
		return err
	}
	return shareable(o.Template)
}

// shareable refuses what only one cluster can have.
func shareable(o options.Cluster) error {
	for _, own := range []struct {
		flag string
		said bool
	}{
		{"infra-id", o.InfraID != ""}, {"metallb-addresses", len(o.MetalLBAddresses) > 0}, {"api-hostname",
			o.APIHostname != ""}, {"kas-dns-name", o.KASDNSName != ""},
		{"publish", slices.ContainsFunc(o.Publish, func(p string) bool {
			return strings.Contains(p, "hostname=") || strings.Contains(p, "port=")
		})},
	} {
		if own.said {
			return fmt.Errorf("--%s: the clusters of a run are alike, and no two can have the same of this; leave it out",
				own.flag)
		}
	}
	for _, pool := range o.NodePools {
		if pool.Name != "" && len(o.NodePools) == 1 {
			return fmt.Errorf("node pool %s: a name of its own can be had once only; leave it out, and each pool is called as "+
				"its cluster", pool.Name)
		}
	}
	return nil
}

// cluster is the template as the i-th cluster of a run. The pools beside the first are called after the cluster, since
// two of a namespace cannot have one name.
func (o Options) cluster(run string, i int) options.Cluster {
	c := o.Template
	c.Name = NameOf(o.Name, i)
	c.Labels = maps.Clone(c.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	c.Labels[RunLabel] = run
	c.NodePools = slices.Clone(c.NodePools)
	for j := range c.NodePools {
		c.NodePools[j].Name = ""
		if j > 0 {
			c.NodePools[j].Name = fmt.Sprintf("%s-%d", c.Name, j)
		}
	}
	return c
}

// digest tells two templates apart. What files contain counts too.
func digest(o options.Cluster) (string, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
