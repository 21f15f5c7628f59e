package budget

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Budget is the content of budget.yaml.
type Budget struct {
	// Requests limits the requests of a command, by its name in the tests.
	Requests map[string]float64 `json:"requests"`
	// Chains limits how many requests of a command wait for each other.
	Chains map[string]float64 `json:"chains"`
	// Program limits the size in MB (10^6 bytes), the numbers of linked packages and modules, and what hcctl's own
	// packages allocate in kB before main.
	Program map[string]float64 `json:"program"`
	// Forbidden are packages (and those below them) that hcctl must not link, with what to use instead.
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

// Figure is one measured figure.
type Figure struct {
	// Kind is the part of the budget, Name the figure's key in it.
	Kind, Name string
	Now        float64
	// Slack is how far below its budget a figure may be, as a share; zero means equal.
	Slack float64
	// Look is the command that shows the details.
	Look string
}

// Judge returns what is wrong with a figure, "" if nothing is.
func (b *Budget) Judge(f Figure) string {
	budget, known := b.part(f.Kind)[f.Name]
	line := func(verdict string) string {
		return fmt.Sprintf("%s of %q: %s: the budget is %v, now it is %v.\n  To look: %s\n  If it is meant to be so: make "+
			"update, and say why in the commit.",
			f.Kind, f.Name, verdict, budget, f.Now, f.Look)
	}
	switch {
	case !known:
		return line("not in the budget")
	case f.Now > budget:
		return line("over the budget")
	case f.Now < budget*(1-f.Slack):
		return line("better than the budget, which should hold it there")
	}
	return ""
}

func (b *Budget) part(kind string) map[string]float64 {
	switch kind {
	case "requests":
		return b.Requests
	case "chains":
		return b.Chains
	}
	return b.Program
}
