package docs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

const (
	// maxMatches limits the results of a search, maxOfPage the results from one page.
	maxMatches = 12
	maxOfPage  = 2
)

// section is the part of a page under one heading.
type section struct {
	page, title, heading string
	lines                []string
	// words counts the word stems of the text, inTitle those of the page's title, inHeading those of the
	// heading.
	words, inTitle, inHeading map[string]int
	length                    int
	// first marks the section below the title, which stands for the page: the keywords count for it.
	first bool
}

// match is the line of a section that a search shows, with the heading above it.
type match struct {
	Page    string `json:"page"`
	Heading string `json:"heading"`
	Line    string `json:"line"`

	score float64
}

// searchPages lists the sections that match the words best, each with its best line.
func searchPages(a *cmdutil.Factory, all []page, words, output string) error {
	found := find(cutAll(all), words)
	if len(found) == 0 {
		return cmdutil.WithHint(noPage(words), "look for fewer or shorter words; %s lists the pages", hint.Run("docs"))
	}
	if output == "json" {
		return writeDocumentation(a, nil, found)
	}
	if width := a.Streams.ScreenOut().Width; width > 0 {
		var rows [][]string
		for _, m := range found {
			rows = append(rows, []string{m.Page + ": " + m.Heading, m.Line})
		}
		return a.Streams.Document([]byte(records(rows, width, false)))
	}
	rows := [][]string{{"PAGE", "HEADING", "LINE"}}
	for _, m := range found {
		rows = append(rows, []string{m.Page, m.Heading, m.Line})
	}
	return (&cmdutil.Table{W: a.Streams.Out}).Write(rows...)
}

// queryWord is a word of a query: its stem, the indexed words that begin with it, and its weight.
type queryWord struct {
	stem     string
	prefixed map[string]float64
	weight   float64
}

// find ranks the sections of all pages, the best first. Rare words count more than common ones, and words of
// titles and headings more than those of the text, as in the search of the web site (hack/site/static/site.js).
func find(sections []*section, query string) []match {
	seen := map[string]int{}
	for _, s := range sections {
		for _, words := range []map[string]int{s.words, s.inTitle, s.inHeading} {
			for w := range words {
				seen[w]++
			}
		}
	}
	words := parseQuery(query, seen, len(sections))
	var found []match
	for _, s := range sections {
		if score := s.score(words); score > 0 {
			found = append(found, match{s.page, s.heading, s.best(words), score})
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	perPage := map[string]int{}
	found = slices.DeleteFunc(found, func(m match) bool {
		perPage[m.Page]++
		return perPage[m.Page] > maxOfPage
	})
	return found[:min(len(found), maxMatches)]
}

// parseQuery returns the words of a query without stop words.
func parseQuery(query string, seen map[string]int, sections int) []queryWord {
	var out []queryWord
	all := tokens(query)
	significant := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(stopWords(), w) })
	if len(significant) == 0 {
		significant = all
	}
	slices.Sort(significant)
	for _, word := range slices.Compact(significant) {
		w := queryWord{stem: word, prefixed: map[string]float64{word: 1}}
		if len(word) > 2 {
			for other := range seen {
				if strings.HasPrefix(other, word) && other != word {
					w.prefixed[other] = 0.5
				}
			}
		}
		w.weight = math.Log(2 + float64(sections)/float64(2+seen[word]))
		out = append(out, w)
	}
	return out
}

// broadPages lists pages that contain nearly every word and explain little.
var broadPages = []string{"README", "words", "glossary", "commands", "output", "reliability", "stability"}

// score returns how well a section matches; 0 if it has less than half of the weight of the query.
func (s *section) score(query []queryWord) float64 {
	score, found, total := 0.0, 0.0, 0.0
	for _, w := range query {
		best := 0.0
		for word, weight := range w.prefixed {
			n := float64(s.words[word])
			value := 2 * n / (n + 1.2*(0.4+0.6*float64(s.length)/80))
			value += 2*float64(min(s.inTitle[word], 1)) + 2*float64(min(s.inHeading[word], 1))
			if s.first {
				value += 3 * float64(min(keywords()[s.page][word], 1))
			}
			best = max(best, weight*value)
		}
		total += w.weight
		if best > 0 {
			found += w.weight
		}
		score += w.weight * best
	}
	if found < total/2 {
		return 0
	}
	score *= found / total
	if strings.Contains(s.page, "/") || slices.Contains(broadPages, s.page) {
		score *= 0.6
	}
	return score
}

// best returns the line that matches the words best, shortened to fit beside page and heading.
func (s *section) best(query []queryWord) string {
	line, highest := "", -1.0
	for _, l := range s.lines {
		score := 0.0
		have := count(l)
		for _, w := range query {
			for word, weight := range w.prefixed {
				if have[word] > 0 {
					score += weight * w.weight
					break
				}
			}
		}
		if score > highest {
			line, highest = l, score
		}
	}
	return around(line, query)
}

// around returns the part of a line around the first matching word.
func around(line string, query []queryWord) string {
	const before, maxLength = 30, 100
	runes := []rune(line)
	if len(runes) <= maxLength {
		return line
	}
	at := len(line)
	for _, w := range query {
		if i := strings.Index(strings.ToLower(line), w.stem); i >= 0 {
			at = min(at, i)
		}
	}
	if at == len(line) {
		at = 0
	}
	from := max(0, min(len([]rune(line[:at]))-before, len(runes)-maxLength))
	out := string(runes[from:min(len(runes), from+maxLength)])
	if from > 0 {
		out = "…" + out
	}
	return out
}

func cutAll(all []page) []*section {
	var out []*section
	for _, p := range all {
		out = append(out, cut(p)...)
	}
	return out
}

// cut splits a page at its headings.
func cut(p page) []*section {
	var out []*section
	code := false
	for line := range strings.Lines(p.text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			code = !code
			continue
		}
		heading, is := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if is = is && strings.HasPrefix(line, "#") && !code; is || len(out) == 0 {
			if !is {
				heading = p.title
			}
			out = append(out, &section{page: p.name, title: p.title, heading: heading, first: len(out) == 0})
		}
		if !is && line != "" {
			last := out[len(out)-1]
			last.lines = append(last.lines, linkForm.ReplaceAllString(line, "$1"))
		}
	}
	for _, s := range out {
		s.words, s.inTitle, s.inHeading = count(strings.Join(s.lines, "\n")), count(s.title+" "+s.page), count(s.heading)
		for _, n := range s.words {
			s.length += n
		}
		if len(s.lines) == 0 {
			s.lines = []string{s.heading}
		}
	}
	return out
}

func count(text string) map[string]int {
	out := map[string]int{}
	for _, w := range tokens(text) {
		out[w]++
	}
	return out
}

var (
	wordForm = lazyregexp.New(`[A-Za-z]+|[0-9]+`)
	partForm = lazyregexp.New(`[A-Z]?[a-z]+|[A-Z]{2,}`)
	linkForm = lazyregexp.New(`\[([^\]]*)\]\([^)]*\)`)
	endings  = lazyregexp.New(`(ions?|ings?|ed|es|e|s)$`)
)

// stopWords returns words without meaning for a search, as stems.
var stopWords = sync.OnceValue(func() []string {
	return tokens("a an and are as at be by can could do does for from get how i if in into is it me my no not of " +
		"on or so that the their to too use using want what when where which who why with without")
})

// tokens returns the stems of the words of a text. StorageClass counts as one word and as two words, and air-gap
// as one word.
func tokens(text string) []string {
	var out []string
	for _, word := range wordForm.FindAllString(strings.ReplaceAll(text, "ir-gap", "irgap"), -1) {
		out = append(out, stem(word))
		if parts := partForm.FindAllString(word, -1); len(parts) > 1 {
			for _, p := range parts {
				out = append(out, stem(p))
			}
		}
	}
	return out
}

// stem returns a word in lower case without endings such as -ing and -s.
func stem(word string) string {
	word = strings.ToLower(word)
	if len(word) > 3 {
		return endings.ReplaceAllString(word, "")
	}
	return word
}

// keywords returns, by page, the stems of other words for its subject, from docs.Keywords.
var keywords = sync.OnceValue(func() map[string]map[string]int {
	out := map[string]map[string]int{}
	for line := range strings.Lines(docs.Keywords) {
		if name, words, is := strings.Cut(line, ": "); is && !strings.HasPrefix(line, "#") {
			out[name] = count(words)
		}
	}
	return out
})
