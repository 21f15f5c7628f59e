package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// The elements of a JUnit report, as Jenkins and GitLab read them.
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

// CheckJUnit writes the report of a check as JUnit XML: a suite per group, a case per step with its ID as classname.
// Missing, pending and broken are failures, unknown is an error, and a warning passes with its text in system-out.
func CheckJUnit(w io.Writer, r step.Report) error {
	all := junitSuites{Name: "hcctl check", Time: junitTime(seconds(r.Elapsed))}
	var took float64
	for _, res := range r.Results {
		if n := len(all.Suites); n == 0 || all.Suites[n-1].Name != res.Step.Group {
			all.Suites, took = append(all.Suites, junitSuite{Name: res.Step.Group}), 0
		}
		suite := &all.Suites[len(all.Suites)-1]
		c := junitCaseOf(res)
		suite.Cases = append(suite.Cases, c)
		suite.Tests++
		suite.Failures += count(c.Failure)
		suite.Errors += count(c.Error)
		suite.Skipped += count(c.Skipped)
		took += seconds(res.Elapsed)
		suite.Time = junitTime(took)
		all.Tests++
		all.Failures += count(c.Failure)
		all.Errors += count(c.Error)
		all.Skipped += count(c.Skipped)
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

func junitCaseOf(res step.Result) junitCase {
	c := junitCase{Name: res.Step.Title, Class: string(res.Step.ID), Time: junitTime(seconds(res.Elapsed))}
	text := &junitText{Message: validXML(findingLine(res.Finding)), Type: res.Finding.State.String(), Text: advice(res)}
	switch {
	case res.Finding.State == step.StateSkipped:
		c.Skipped = &junitText{Message: "left out by " + hint.Flag("skip").String()}
	case res.Outcome == step.OutcomeWarned:
		c.Out = &junitOut{"warning: " + text.Message + "\n" + text.Text}
	case res.Good():
		c.Out = &junitOut{text.Message}
	case res.Finding.State == step.StateUnknown:
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
