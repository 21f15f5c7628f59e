package budget

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// Budget is the content of budget.yaml.
type Budget struct {
	// Requests is the maximum number of requests of a command, by its name in the tests.
	Requests map[string]float64 `json:"requests"`
	// Chains is the maximum number of sequential requests of a command.
	Chains map[string]float64 `json:"chains"`
	// Program limits the size in MB (10^6 bytes), the numbers of linked packages and modules, and the memory in kB that
	// hcctl's own packages allocate before main.
	Program map[string]float64 `json:"program"`
	// Forbidden has packages (with their subpackages) that hcctl must not link, and their replacements.
	Forbidden map[string]string `json:"forbidden"`
}

// Read reads a budget file. It fails for an unknown field.
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

// Figure is one measured value.
type Figure struct {
	// Kind is the part of the budget, Name the key in it.
	Kind, Name string
	Now        float64
	// Slack is the fraction by which a figure may be below its budget; zero means equal.
	Slack float64
	// Look is the command that shows the details.
	Look string
}

// Judge returns the problem of a figure, "" if there is none.
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
