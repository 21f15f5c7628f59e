package density

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// RunLabel marks the hosted clusters of a run; its value is the run's ID. Only clusters with it are deleted.
const RunLabel = "hcctl.dev/density-run"

// MaxClusters limits Options.Count.
const MaxClusters = 1000

// Options configure one run.
type Options struct {
	// Run is the run's ID, a label value. Empty means the ID of the directory's record, or else a new one.
	Run string
	// Template has the options of all clusters. Its Wait is how far each cluster is followed.
	Template options.Cluster
	// EtcdClasses are two StorageClasses of etcd's volumes to compare: each cluster gets one of them, whatever
	// the template says. Empty uses the template's.
	EtcdClasses []string
	// Name is the pattern of the clusters' names with one %d or %0Nd for the number, which starts at 0.
	Name string
	// Count is the number of clusters. Parallel is the maximum number in progress; 0 means all.
	Count, Parallel int
	// Out is the directory of the record and the results.
	Out string
	// Keep keeps the clusters.
	Keep bool
	// Limits are the thresholds of the stop rules.
	Limits Limits
	// Timeout bounds each creation from its start, and each deletion. TroubleTimeout is the option of the
	// engine.
	Timeout, TroubleTimeout time.Duration
	// SkipPreflight lists checks to skip before creation, by ID, or "all".
	SkipPreflight []string
	// Needs returns what a cluster needs from the management cluster.
	Needs func(*creation.Plan) prereq.Wanted
	// ManagementCluster names the management cluster in the record.
	ManagementCluster ManagementCluster
}

// ManagementCluster describes the management cluster.
type ManagementCluster struct {
	Server     string `json:"server"`
	OpenShift  string `json:"openshift,omitempty"`
	Kubernetes string `json:"kubernetes,omitempty"`
}

// numberPattern matches the placeholder of the number.
var numberPattern = lazyregexp.New(`%(0[1-9])?d`)

// NameOf returns the name of the i-th cluster.
func NameOf(pattern string, i int) string {
	return numberPattern.ReplaceAllStringFunc(pattern, func(p string) string { return fmt.Sprintf(p, i) })
}

// Validate checks the options without a cluster. It does not check the template itself.
func (o Options) Validate() error {
	switch {
	case o.Count < 1 || o.Count > MaxClusters:
		return fmt.Errorf("%s %d: give a number between 1 and %d", hint.Flag("count"), o.Count, MaxClusters)
	case o.Parallel < 0:
		return fmt.Errorf("%s %d: it cannot be negative; 0 means all", hint.Flag("parallel"), o.Parallel)
	case len(numberPattern.FindAllString(o.Name, -1)) != 1 || strings.Count(o.Name, "%") != 1:
		return fmt.Errorf("%s %q: it has one place for the number, such as density-%%03d", hint.Flag("name"), o.Name)
	case o.Out == "":
		return fmt.Errorf("%s: name a directory for the record and the results", hint.Flag("out"))
	}
	if problems := validation.IsValidLabelValue(o.Run); len(problems) > 0 {
		return fmt.Errorf("%s %q: it becomes a label's value: %s", hint.Flag("run"), o.Run, problems[0])
	}
	if err := errors.Join(o.Limits.validate(), o.validateClasses()); err != nil {
		return err
	}
	return checkShareable(o.Template)
}

// checkShareable returns an error for options that only one cluster can have.
func checkShareable(o options.Cluster) error {
	for _, own := range []struct {
		field string
		set   bool
	}{
		{"infraID", o.InfraID != ""}, {"metallbAddresses", len(o.MetalLBAddresses) > 0},
		{"apiHostname", o.APIHostname != ""}, {"kasDNSName", o.KASDNSName != ""},
		{"publish", slices.ContainsFunc(o.Publish, func(p string) bool {
			return strings.Contains(p, "hostname=") || strings.Contains(p, "port=")
		})},
	} {
		if own.set {
			return fmt.Errorf("%s: spec.%s: the clusters of a run are alike, and no two can have the same of this; leave it "+
				"out", hint.Flag("file"), own.field)
		}
	}
	for _, pool := range o.NodePools {
		if pool.Name != "" && len(o.NodePools) == 1 {
			return fmt.Errorf("%s: node pool %s: its own name can be used only once; leave it out, and each pool is called as "+
				"its cluster", hint.Flag("file"), pool.Name)
		}
	}
	return nil
}

// cluster returns the options of the i-th cluster. Further pools get the cluster's name as a prefix, because the
// names of pools are unique in a namespace.
func (o Options) cluster(run string, i int) options.Cluster {
	c := o.Template
	c.Name = NameOf(o.Name, i)
	c.Labels = maps.Clone(c.Labels)
	if c.Labels == nil {
		c.Labels = map[string]string{}
	}
	c.Labels[RunLabel] = run
	if o.compares() {
		c.EtcdStorageClass = o.etcdClass(i)
	}
	c.NodePools = slices.Clone(c.NodePools)
	for j := range c.NodePools {
		c.NodePools[j].Name = ""
		if j > 0 {
			c.NodePools[j].Name = fmt.Sprintf("%s-%d", c.Name, j)
		}
	}
	return c
}

// digest returns a SHA-256 of a template, including the contents of its files.
func digest(o options.Cluster) (string, error) {
	data, err := json.Marshal(o)
	if err != nil {
		return "", fmt.Errorf("template: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
