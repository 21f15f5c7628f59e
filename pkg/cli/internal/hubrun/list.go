package hubrun

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/fleet/hub"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/report"
	"github.com/hcctl/hcctl/pkg/step"
)

// List prints a list of the hub's hosted clusters.
type List struct {
	Choice
	// Output is empty, wide, json, yaml or name.
	Output string
	// Problems leaves out clusters that are ok.
	Problems bool
	// Labels adds the labels as the last column of the table.
	Labels bool
	// Order sorts the rows, which otherwise begin with the least healthy. Format prints them instead of Output.
	// Both get the JSON of each cluster, Format also that of the whole document; nil for neither.
	Order  func(objects []map[string]any, of []*hub.Cluster) ([]*hub.Cluster, error)
	Format func(document map[string]any, objects []map[string]any) error
}

// listDocument is the document of get clusters --hub and status --hub.
type listDocument struct {
	step.TypeMeta
	Health   status.Health  `json:"health"`
	Sites    []siteDocument `json:"sites"`
	Clusters []*hub.Cluster `json:"clusters"`
}

type siteDocument struct {
	Name string `json:"name"`
	// Available is false for a site that the hub has lost contact with. Reason says why.
	Available bool       `json:"available"`
	Reason    string     `json:"reason,omitempty"`
	Seen      *time.Time `json:"seen,omitempty"`
	Clusters  int        `json:"clusters"`
}

// Print prints the list, and returns the worst health among the selected clusters.
func (l List) Print(ctx context.Context, a *cmdutil.Factory) (status.Health, error) {
	t, f, chosen, err := l.read(ctx, a)
	if err != nil {
		return status.Unknown, err
	}
	health := status.OK
	if len(chosen) > 0 {
		health = chosen[0].Health
	}
	shown := chosen
	if l.Problems {
		shown = slices.DeleteFunc(slices.Clone(chosen), func(c *hub.Cluster) bool { return c.Health == status.OK })
	}
	if l.Order != nil {
		objects, err := objectsOf(shown)
		if err != nil {
			return health, err
		}
		if shown, err = l.Order(objects, shown); err != nil {
			return health, err
		}
	}
	document := listDocument{TypeMeta: step.NewTypeMeta("HubStatus"), Health: health,
		Sites: sitesOf(f), Clusters: append([]*hub.Cluster{}, shown...)}
	if l.Format != nil {
		return health, l.format(document)
	}
	switch l.Output {
	case "json":
		return health, cmdutil.WriteJSON(a.Streams.Out, document)
	case "yaml":
		return health, cmdutil.WriteYAML(a.Streams.Out, document)
	case "name":
		for _, one := range shown {
			if err := cmdutil.Say(a.Streams.Out, "hostedcluster.hypershift.openshift.io/%s\n", one.Name); err != nil {
				return health, err
			}
		}
		return health, nil
	}
	if len(chosen) == 0 {
		return health, cmdutil.Say(a.Streams.Err, "No hosted clusters of this hub match.\n")
	}
	w := a.Streams.Out
	cmdutil.Tell(w, "Hosted clusters of the hub %s\n\n", t)
	return health, l.table(a, w, f, chosen, shown)
}

// format prints the document with Format.
func (l List) format(document listDocument) error {
	objects, err := objectsOf(document.Clusters)
	if err != nil {
		return err
	}
	whole, err := objectOf(document)
	if err != nil {
		return err
	}
	return l.Format(whole, objects)
}

// objectsOf returns the clusters as JSON objects of the document.
func objectsOf(clusters []*hub.Cluster) ([]map[string]any, error) {
	objects := make([]map[string]any, len(clusters))
	for i, one := range clusters {
		var err error
		if objects[i], err = objectOf(one); err != nil {
			return nil, err
		}
	}
	return objects, nil
}

// objectOf converts a value to a JSON object.
func objectOf(v any) (object map[string]any, err error) {
	raw, err := json.Marshal(v)
	if err == nil {
		err = utiljson.Unmarshal(raw, &object)
	}
	return object, err
}

// sitesOf returns the sites, sorted by name.
func sitesOf(f *hub.Fleet) []siteDocument {
	all := []siteDocument{}
	for _, name := range slices.Sorted(maps.Keys(f.Sites)) {
		site := f.Sites[name]
		one := siteDocument{Name: name, Available: !site.Lost(), Reason: site.Reason}
		if !site.Seen.IsZero() {
			one.Seen = &site.Seen
		}
		for _, c := range f.Clusters {
			if c.Site == name {
				one.Clusters++
			}
		}
		all = append(all, one)
	}
	return all
}

// headings returns the headings of the table.
func (l List) headings() []string {
	all := []string{"SITE", "NAMESPACE", "NAME", "HEALTH", "VERSION", "NODES", "KNOWN", "MESSAGE"}
	if l.Labels {
		all = append(all, status.LabelsHeading)
	}
	return all
}

// table prints a line for each cluster, the least healthy first, and the sites that are not available.
func (l List) table(a *cmdutil.Factory, w io.Writer, f *hub.Fleet, chosen, shown []*hub.Cluster) error {
	headings := l.headings()
	if l.Output == "wide" {
		headings = slices.Insert(headings, 7, "ENV", "API")
	}
	var rows []report.Row
	for _, c := range shown {
		cells := []string{c.Site, c.Namespace, c.Name, c.Health.String(), version(c), nodes(c), lastSeen(f, c), c.Message}
		if l.Output == "wide" {
			cells = slices.Insert(cells, 7, c.Environment, c.Endpoint)
		}
		if l.Labels {
			cells = append(cells, status.Labels(c.Labels))
		}
		rows = append(rows, report.Row{Mark: cmdutil.HealthMark(c.Health), Cells: cells})
	}
	screen := a.Streams.ScreenOut()
	if l.Output == "wide" || l.Labels {
		screen.Width = 0
	}
	if len(rows) > 0 {
		if err := report.Rows(w, screen, headings, rows); err != nil {
			return err
		}
		cmdutil.Tell(w, "\n")
	}
	for _, site := range sitesOf(f) {
		if !site.Available {
			cmdutil.Tell(w, "Site %s is not available (%s); it has %s.\n", site.Name, site.Reason,
				plural.Count(site.Clusters, "hosted cluster"))
		}
	}
	return cmdutil.Say(w, "%s on %s: %s\n", plural.Count(len(chosen), "hosted cluster"),
		plural.Count(sitesWith(chosen), "site"),
		plural.Tally(chosen, func(c *hub.Cluster) status.Health { return c.Health }))
}

// sitesWith counts the sites of the clusters. The hub itself, and hosted clusters that it manages, are
// ManagedClusters without hosted clusters.
func sitesWith(clusters []*hub.Cluster) int {
	at := map[string]bool{}
	for _, one := range clusters {
		at[one.Site] = true
	}
	return len(at)
}

func version(c *hub.Cluster) string {
	if c.Desired != "" {
		return words(c.Version, "to", c.Desired)
	}
	return c.Version
}

func nodes(c *hub.Cluster) string {
	if c.Nodes == nil {
		return fmt.Sprintf("?/%d", c.Wanted)
	}
	return fmt.Sprintf("%d/%d", *c.Nodes, c.Wanted)
}

// lastSeen returns the age of the newest report about a cluster, or "never".
func lastSeen(f *hub.Fleet, c *hub.Cluster) string {
	if c.Seen == nil {
		return "never"
	}
	return duration.HumanDuration(max(0, f.Now.Sub(*c.Seen)))
}
