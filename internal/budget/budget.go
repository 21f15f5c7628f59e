package budget

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Budget is what budget.yaml says.
type Budget struct {
	// Requests are what a command may send to the API server, by what the test calls the command.
	Requests map[string]float64 `json:"requests"`
	// Allocations are thousands of them.
	Allocations map[string]float64 `json:"allocations"`
	// Program has the size in MB (10^6 bytes), and the numbers of packages and modules linked.
	Program map[string]float64 `json:"program"`
	// Forbidden are packages, with all below them, that hcctl must not link, each with what to use instead.
	Forbidden map[string]string `json:"forbidden"`
}

// Read reads a budget.
func Read(path string) (*Budget, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	b := &Budget{}
	if err := yaml.UnmarshalStrict(data, b); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}

// Figure is one figure as it is now.
type Figure struct {
	// Kind is the part of the budget, Name the figure in it.
	Kind, Name string
	Now        float64
	// Slack is the share of the budget by which a figure may be under it; zero means that it has to be met.
	Slack float64
	// Look says how to see what it consists of.
	Look string
}

// Judge says what is wrong with a figure; nothing if all is well.
func (b *Budget) Judge(f Figure) string {
	budget, known := b.part(f.Kind)[f.Name]
	told := func(verdict string) string {
		return fmt.Sprintf("%s of %q: %s: the budget is %v, now it is %v.\n  To look: %s\n  If it is meant to be so: make "+
			"update, and say why in the commit.",
			f.Kind, f.Name, verdict, budget, f.Now, f.Look)
	}
	switch {
	case !known:
		return told("not in the budget")
	case f.Now > budget:
		return told("over the budget")
	case f.Now < budget*(1-f.Slack):
		return told("better than the budget, which should hold it there")
	}
	return ""
}

func (b *Budget) part(kind string) map[string]float64 {
	switch kind {
	case "requests":
		return b.Requests
	case "allocations":
		return b.Allocations
	}
	return b.Program
}
