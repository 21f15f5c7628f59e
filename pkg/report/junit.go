package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// The elements of a JUnit report in the form that Jenkins and GitLab read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Name    string     `xml:"name,attr"`
		Class   string     `xml:"classname,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitText `xml:"failure,omitempty"`
		Error   *junitText `xml:"error,omitempty"`
		Skipped *junitText `xml:"skipped,omitempty"`
		Out     *junitOut  `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
	junitOut struct {
		Text string `xml:",chardata"`
	}
)

// JUnit writes a report as JUnit XML: a suite for each hosted cluster, or else for each group, and a case for each step
// with its ID as classname. Missing, pending and broken are failures, unknown is an error, a step that did not start is
// skipped, and a warning passes with its text in system-out. err is an error of the command outside of the steps, or
// nil.
func JUnit(w io.Writer, name string, r step.Report, err error) error {
	all := junitSuites{Name: name, Time: junitTime(seconds(r.Elapsed))}
	took := map[string]float64{}
	for _, res := range r.Results {
		in := cmp.Or(res.Step.Subject, res.Step.Group)
		all.add(in, junitCaseOf(res))
		took[in] += seconds(res.Elapsed)
	}
	for i := range all.Suites {
		all.Suites[i].Time = junitTime(took[all.Suites[i].Name])
	}
	if err != nil {
		all.add(name, junitCase{Name: name, Class: "command", Time: junitTime(0),
			Error: &junitText{Message: validXML(errorText(err)), Type: "error"}})
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	data, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(sanitize.XML(data), '\n'))
	return err
}

// add adds a case to the suite with that name.
func (all *junitSuites) add(name string, c junitCase) {
	at := slices.IndexFunc(all.Suites, func(s junitSuite) bool { return s.Name == name })
	if at < 0 {
		at, all.Suites = len(all.Suites), append(all.Suites, junitSuite{Name: name, Time: junitTime(0)})
	}
	suite := &all.Suites[at]
	suite.Cases = append(suite.Cases, c)
	failures, errs, skipped := count(c.Failure), count(c.Error), count(c.Skipped)
	suite.Tests, all.Tests = suite.Tests+1, all.Tests+1
	suite.Failures, all.Failures = suite.Failures+failures, all.Failures+failures
	suite.Errors, all.Errors = suite.Errors+errs, all.Errors+errs
	suite.Skipped, all.Skipped = suite.Skipped+skipped, all.Skipped+skipped
}

func junitCaseOf(res step.Result) junitCase {
	c := junitCase{Name: title(res.Step), Class: string(res.Step.ID), Time: junitTime(seconds(res.Elapsed))}
	text := &junitText{Message: validXML(findingLine(res.Finding)), Type: res.Finding.State.String(), Text: advice(res)}
	if res.Err != nil || res.Outcome == step.OutcomeTimedOut || res.Outcome == step.OutcomeInterrupted {
		text.Message, text.Type = validXML(redact.Secrets(res.Line())), string(res.Outcome)
	}
	switch {
	case res.Finding.State == step.StateSkipped:
		c.Skipped = &junitText{Message: "left out by " + hint.Flag("skip").String()}
	case res.Outcome == step.OutcomeBlocked:
		c.Skipped = &junitText{Message: "not begun, as a step before it has failed"}
	case res.Outcome == step.OutcomeWarned:
		c.Out = &junitOut{"warning: " + text.Message + "\n" + text.Text}
	case res.Good():
		c.Out = &junitOut{text.Message}
	case res.Finding.State == step.StateUnknown && res.Outcome != step.OutcomeTimedOut:
		c.Error = text
	default:
		c.Failure = text
	}
	return c
}

// advice returns the hint and the documentation page.
func advice(res step.Result) string {
	var lines []string
	if !res.Finding.Hint.IsZero() {
		lines = append(lines, validXML(redacted(res.Finding).Hint.String()))
	}
	if url := docsURL(res.Step); url != "" {
		lines = append(lines, url)
	}
	return strings.Join(lines, "\n")
}

// validXML removes characters that XML 1.0 cannot contain, such as the escape character of colours.
func validXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r <= 0xD7FF || r >= 0xE000 && r < 0xFFFE &&
			r != utf8.RuneError || r >= 0x10000 {
			return r
		}
		return -1
	}, s)
}

func count(t *junitText) int {
	if t == nil {
		return 0
	}
	return 1
}

func junitTime(s float64) string { return fmt.Sprintf("%.3f", s) }
