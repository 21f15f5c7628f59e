package follow

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// Goal is one condition to wait for on an existing hosted cluster or NodePool.
type Goal struct {
	// Name is the word before "=", such as "api" or "condition".
	Name string
	// Condition and Status belong to the goal "condition". Status is True, False or Unknown.
	Condition, Status string
	// Version belongs to the goal "version".
	Version string
	// Replicas belongs to the goal "replicas".
	Replicas int
}

// String returns the goal as the user writes it.
func (g Goal) String() string {
	switch g.Name {
	case "condition":
		return "condition=" + g.Condition + "=" + g.Status
	case "version":
		return "version=" + g.Version
	case "replicas":
		return fmt.Sprintf("replicas=%d", g.Replicas)
	}
	return g.Name
}

// ClusterGoals returns the forms that ParseClusterGoals accepts.
func ClusterGoals() []string {
	return []string{"api", "nodes", "complete", "healthy", "deleted", "version=VERSION", "condition=TYPE[=STATUS]"}
}

// PoolGoals returns the forms that ParsePoolGoals accepts.
func PoolGoals() []string {
	return []string{"ready", "deleted", "replicas=N", "version=VERSION", "condition=TYPE[=STATUS]"}
}

// ParseClusterGoals parses the goals for a hosted cluster. The error is an *options.Error of the flag "for".
func ParseClusterGoals(texts ...string) ([]Goal, error) { return parseGoals(texts, ClusterGoals()) }

// ParsePoolGoals parses the goals for a NodePool. The error is an *options.Error of the flag "for".
func ParsePoolGoals(texts ...string) ([]Goal, error) { return parseGoals(texts, PoolGoals()) }

func parseGoals(texts, forms []string) ([]Goal, error) {
	goals := make([]Goal, 0, len(texts))
	for _, text := range texts {
		g, err := parseGoal(text, forms)
		if err != nil {
			return nil, err
		}
		goals = append(goals, g)
	}
	if len(goals) == 0 {
		return nil, options.Errorf("for", "", "what is to be waited for? one of %s", strings.Join(forms, ", "))
	}
	if len(goals) > 1 && slices.ContainsFunc(goals, func(g Goal) bool { return g.Name == "deleted" }) {
		return nil, options.Errorf("for", "deleted", "cannot be waited for together with anything else")
	}
	return goals, nil
}

func parseGoal(text string, forms []string) (Goal, error) {
	name, value, has := strings.Cut(text, "=")
	known := slices.ContainsFunc(forms, func(form string) bool {
		word, _, wants := strings.Cut(form, "=")
		return word == name && wants == has
	})
	g := Goal{Name: name}
	switch {
	case !known:
		return g, options.Errorf("for", text, "must be one of %s", strings.Join(forms, ", "))
	case name == "version":
		if !hostedcluster.ExactVersion(value) {
			return g, options.Errorf("for", text, "%q is not a version; write it like version=4.20.3", value)
		}
		g.Version = value
	case name == "replicas":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return g, options.Errorf("for", text, "%q is not a number of nodes", value)
		}
		g.Replicas = n
	case name == "condition":
		g.Condition, g.Status, _ = strings.Cut(value, "=")
		if g.Status == "" {
			g.Status = "True"
		}
		if len(validation.IsQualifiedName(g.Condition)) > 0 {
			return g, options.Errorf("for", text, "%q is not a type of condition; write it like condition=Available",
				g.Condition)
		}
		statuses := []string{"True", "False", "Unknown"}
		i := slices.IndexFunc(statuses, func(s string) bool { return strings.EqualFold(s, g.Status) })
		if i < 0 {
			return g, options.Errorf("for", text, "a condition's status is True, False or Unknown, not %q", g.Status)
		}
		g.Status = statuses[i]
	}
	return g, nil
}
