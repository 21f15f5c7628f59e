// Package explain implements hcctl explain.
package explain

import (
	"context"
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
	step.TypeMeta
	Word string `json:"word"`
	// Page is the page of a check or the text of another word, as Markdown; empty for conditions.
	Page       string                   `json:"page,omitempty"`
	Conditions []conditions.Explanation `json:"conditions,omitempty"`
}

// New returns the command explain.
func New(a *cmdutil.Factory) *cobra.Command {
	output := ""
	cmd := &cobra.Command{
		Use:   "explain WORD",
		Short: "Explain a check, a step, a condition, a reason or a state; needs no cluster and no network",
		Long: `explain says what a word means that hcctl prints: a check of hcctl check, such as hypershift/operator, with
how it is done by hand; a step, such as cluster/infrastructure; a condition or reason of a hosted cluster, such as
EtcdAvailable, as the runbook has them; or a word of Kubernetes and its operators, such as ErrorUnschedulable, as
hcctl docs words has them. All of it is built in.`,
		Example: `  hcctl explain hypershift/operator
  hcctl explain EtcdAvailable
  hcctl explain CrashLoopBackOff
  hcctl explain InvalidImage -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one word", cmd.CommandPath()))
			}
			return nil
		},
		ValidArgs: explainable(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runExplain(cmd.Context(), a, args[0], output)
		},
	}
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

// pageOf returns the page of a check, or "" if there is none.
func pageOf(word string) string {
	page, err := docs.Checks.ReadFile("checks/" + strings.ReplaceAll(word, "/", "-") + ".md")
	if err != nil {
		return ""
	}
	return string(page)
}

// explainable returns all words that explain knows.
func explainable() []string {
	var words []string
	pages, _ := fs.Glob(docs.Checks, "checks/*.md") // the pattern is valid, and nothing else can fail
	for _, path := range pages {
		page, _ := fs.ReadFile(docs.Checks, path)
		words = append(words, docscmd.TitleOf(string(page)))
	}
	words = slices.Concat(words, docscmd.RunbookWords(), docscmd.WordsOfThePage())
	slices.Sort(words)
	return slices.Compact(words)
}

func runExplain(ctx context.Context, a *cmdutil.Factory, word, output string) error {
	page, runbook, text := "", "", ""
	var known []conditions.Explanation
	// A NodePool joins the reasons of all its machines with commas.
	for one := range strings.SplitSeq(word, ",") {
		page, text = join(page, pageOf(strings.ToLower(one))), join(text, docscmd.WordText(one))
		runbook, known = join(runbook, docscmd.RunbookText(one)), append(known, docscmd.Explanations(one)...)
	}
	if page == "" && text == "" && len(known) == 0 {
		next := hint.New("%s lists the words, %s the checks", hint.Run("docs words"), hint.Run("check").Flag("o", "name"))
		if near := suggest.Words(word, explainable()); len(near) > 0 {
			next = hint.New("did you mean %s", strings.Join(near, ", "))
		}
		return &cmdutil.UsageError{Err: fmt.Errorf("%q is not a word that hcctl knows", word), Help: next}
	}
	if output == "json" {
		return cmdutil.WriteJSON(a.Streams.Out, explainDocument{step.NewTypeMeta("Explanation"), word, join(page, text),
			known})
	}
	return docscmd.Show(ctx, a, join(page, runbook, text))
}

// join puts an empty line between the parts that are not empty.
func join(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
}
