// Package explain has the command explain.
package explain

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	docscmd "github.com/hcctl/hcctl/pkg/cli/docs"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/step"
)

// explainDocument is the document of explain -o json: docs/schema/explanation.json.
type explainDocument struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Word       string `json:"word"`
	// Page is the page of a check, as Markdown; empty for conditions.
	Page       string                   `json:"page,omitempty"`
	Conditions []conditions.Explanation `json:"conditions,omitempty"`
}

// New returns the command explain.
func New(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "explain CHECK|CONDITION|REASON",
		Short: "Explain a check, or a condition or reason of a hosted cluster; needs no cluster and no network",
		Long: `explain says what a word means that hcctl or HyperShift writes: a check of hcctl check, such as
hypershift/operator, with how it is done by hand; a condition of a HostedCluster or NodePool, such as EtcdAvailable; or
a reason of one, such as InvalidImage, as the runbook has them. All of it is built in.`,
		Example: `  hcctl explain hypershift/operator
  hcctl explain EtcdAvailable
  hcctl explain InvalidImage -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one check, condition or reason", cmd.CommandPath()))
			}
			return nil
		},
		ValidArgs: explainable(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmdutil.OneOf(output, "", "json"); err != nil {
				return cmdutil.Misuse(cmd, err)
			}
			return runExplain(a, args[0], output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

// pageOf is the page of a check, empty if there is none.
func pageOf(word string) string {
	page, err := docs.Checks.ReadFile("checks/" + strings.ReplaceAll(word, "/", "-") + ".md")
	if err != nil {
		return ""
	}
	return string(page)
}

// explainable are all words that explain knows.
func explainable() []string {
	var words []string
	pages, _ := fs.Glob(docs.Checks, "checks/*.md") // the pattern is well-formed, and nothing else fails
	for _, path := range pages {
		page, _ := fs.ReadFile(docs.Checks, path)
		words = append(words, docscmd.TitleOf(string(page)))
	}
	words = append(words, docscmd.RunbookWords()...)
	slices.Sort(words)
	return words
}

func runExplain(a *cmdutil.Factory, word, output string) error {
	page := pageOf(strings.ToLower(word))
	conditions := docscmd.Explanations(word)
	if page == "" && len(conditions) == 0 {
		next := hint.New("%s lists the checks, %s the conditions of a hosted cluster", hint.Run("check"),
			hint.Run("status", "NAME").Flag("o", "json"))
		if near := suggest.Words(word, explainable()); len(near) > 0 {
			next = hint.New("did you mean %s", strings.Join(near, ", "))
		}
		return &cmdutil.UsageError{Err: fmt.Errorf("%q is not a check, condition or reason that hcctl "+
			"knows", word), Help: next}
	}
	if output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, explainDocument{step.APIVersion, "Explanation", word, page, conditions})
	}
	return a.Streams.Document([]byte(page + docscmd.RunbookText(word)))
}
