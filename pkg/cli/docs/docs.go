// Package docs implements hcctl docs, and the pages of the runbook for docs and explain.
package docs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/step"
)

// page is one page of the built-in documentation.
type page struct{ name, title, text string }

// New returns the command docs. reference makes the text of the page commands.
func New(a *cmdutil.Factory, reference func(root *cobra.Command) string) *cobra.Command {
	search, output := "", ""
	cmd := &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "Print the documentation, which is built in; needs no cluster and no network",
		Long: `docs lists the pages of the documentation, prints one, or looks for words in all of them. The pages for users
are built in and belong to this version of hcctl; those about how hcctl is made are not. A page is Markdown. On a
terminal it is shown by a pager: that of HCCTL_PAGER or PAGER, else less. HCCTL_PAGER=cat is for none.

Pages of single checks are listed by hcctl check and printed by hcctl explain CHECK. Those of the runbook, one for each
condition and reason, are listed by hcctl docs runbook and printed by hcctl explain WORD. --search looks in them, too.`,
		Example: `  hcctl docs
  hcctl docs first-cluster
  hcctl docs --search 'pull secret'
  hcctl docs -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0 && cmd.Flags().Changed("search"):
				words := strings.Join(append([]string{search}, args...), " ")
				return cmdutil.Misuse(cmd, cmdutil.WithHint(errors.New("a page and --search: give only one of them"), "%s",
					cmdutil.CallOf(cmd).Flag("search", words)))
			case len(args) > 1:
				return cmdutil.Misuse(cmd, fmt.Errorf("%s takes one page", cmd.CommandPath()))
			case cmd.Flags().Changed("search") && strings.TrimSpace(search) == "":
				return cmdutil.Misuse(cmd, errors.New("--search: a word is missing"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			commands := reference(cmd.Root())
			switch {
			case search != "":
				return searchPages(a, everyPage(commands), search, output)
			case len(args) == 0:
				return listPages(a, listed(commands), output)
			}
			return printPage(cmd.Context(), a, everyPage(commands), args[0], output)
		},
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return names(listed(reference(cmd.Root()))), cobra.ShellCompDirectiveNoFileComp
	}
	cmd.Flags().StringVar(&search, "search", "", "list what answers these words best, in any order")
	cmdutil.Complete(cmd, "search")
	cmdutil.OutputFlag(cmd, &output, "json")
	return cmd
}

// documentation is the document of docs -o json: docs/schema/documentation.json.
type documentation struct {
	step.TypeMeta
	Hcctl   string           `json:"hcctl"`
	Pages   []documentedPage `json:"pages,omitempty"`
	Matches []match          `json:"matches,omitempty"`
}

// documentedPage is a page in JSON. Its text is empty in a list of pages.
type documentedPage struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Text  string `json:"text,omitempty"`
}

func writeDocumentation(a *cmdutil.Factory, pages []documentedPage, matches []match) error {
	return cmdutil.WriteJSON(a.Streams.Out, documentation{TypeMeta: step.NewTypeMeta("Documentation"),
		Hcctl: cmdutil.Version, Pages: pages, Matches: matches})
}

// pages reads the pages of an embedded directory, sorted by name.
func pages(from fs.FS, pattern string) []page {
	files, _ := fs.Glob(from, pattern) // the pattern is valid, and an embedded file system returns no other error
	var all []page
	for _, file := range files {
		text, _ := fs.ReadFile(from, file)
		all = append(all, page{strings.TrimSuffix(file, ".md"), TitleOf(string(text)), string(text)})
	}
	return all
}

// TitleOf returns the heading in the first line of a page.
func TitleOf(text string) string {
	title, _, _ := strings.Cut(text, "\n")
	return strings.TrimPrefix(title, "# ")
}

// developers is the directory of pages for developers of hcctl. It is not part of their names.
const developers = "dev/"

// listed returns the pages that hcctl docs lists, sorted by name.
func listed(commands string) []page {
	all := append(pages(docs.Pages, "*.md"), page{"commands", TitleOf(commands), commands})
	for _, p := range pages(docs.Pages, developers+"*.md") {
		p.name = strings.TrimPrefix(p.name, developers)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b page) int { return strings.Compare(a.name, b.name) })
	return all
}

// everyPage returns the listed pages, the pages of the checks, and the runbook with a page for each word.
func everyPage(commands string) []page {
	all, runbook := listed(commands), runbookPages()
	all[slices.IndexFunc(all, func(p page) bool { return p.name == runbook[0].name })] = runbook[0]
	return slices.Concat(all, pages(docs.Checks, "checks/*.md"), runbook[1:])
}

func names(all []page) []string {
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.name
	}
	return out
}

func listPages(a *cmdutil.Factory, listed []page, output string) error {
	rows, all := [][]string{{"PAGE", "TITLE"}}, []documentedPage{}
	for _, p := range listed {
		rows, all = append(rows, []string{p.name, p.title}), append(all, documentedPage{Name: p.name, Title: p.title})
	}
	if output == "json" {
		return writeDocumentation(a, all, nil)
	}
	return (&cmdutil.Table{W: a.Streams.Out}).Write(rows...)
}

func printPage(ctx context.Context, a *cmdutil.Factory, all []page, name, output string) error {
	wanted := strings.TrimSuffix(path.Clean(name), ".md")
	for _, directory := range []string{"docs/", developers} {
		wanted = strings.TrimPrefix(wanted, directory)
	}
	for _, p := range all {
		if strings.EqualFold(p.name, wanted) {
			if output == "json" {
				return writeDocumentation(a, []documentedPage{{p.name, p.title, p.text}}, nil)
			}
			return Show(ctx, a, p.text)
		}
	}
	if where, known := docs.Elsewhere[strings.ToLower(wanted)]; known {
		next := hint.New("it is about how hcctl is made: https://github.com/hcctl/hcctl/blob/main/docs/%s", where)
		if where == "" {
			next = hint.New("%s lists the purposes, and %s what each allows", hint.Run("rbac"),
				hint.Run("rbac").Flag("for", "PURPOSE").Flag("o", "table"))
		}
		return &cmdutil.UsageError{Err: fmt.Errorf("the page %q is not built in", wanted), Help: next}
	}
	next := hint.New("%s lists the pages", hint.Run("docs"))
	if near := suggest.Words(wanted, names(all)); len(near) > 0 {
		next = hint.New("did you mean %s", strings.Join(near, ", "))
	}
	return &cmdutil.UsageError{Err: fmt.Errorf("%q is not a page of the documentation", name), Help: next}
}

// noPage returns the error of a search without a result.
func noPage(words string) error { return fmt.Errorf("no page has %q", words) }
