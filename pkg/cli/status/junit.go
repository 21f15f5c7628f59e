package status

import (
	"strings"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/step"
)

// resultsOf returns the parts of clusters as results for JUnit. The message of a result is what is wrong in the
// part.
func resultsOf(a *cmdutil.Factory, f *statusFlags, clusters []*status.Report) step.Report {
	var all step.Report
	for _, r := range clusters {
		parts := append([]named{{part: r.HostedCluster, title: "HostedCluster"}}, partsOf(r)...)
		for _, p := range parts {
			if p.part.Kind == "" || f.problems && p.part.Health == status.OK {
				continue
			}
			all.Results = append(all.Results, resultOf(r, p))
		}
	}
	return a.Call.RenderReport(all)
}

func resultOf(r *status.Report, p named) step.Result {
	finding := step.Finding{State: step.State(p.part.Health), Message: strings.Join(messages(p.part), "; "),
		Hint: p.part.Hint}
	res := step.Result{Finding: finding, Outcome: step.OutcomeMissing, Step: &step.Step{Title: p.title,
		Subject: r.Namespace + "/" + r.Name, ID: step.ID("status/" + strings.ReplaceAll(p.title, " ", "-"))}}
	switch p.part.Health {
	case status.OK:
		res.Outcome = step.OutcomeDone
	case status.Warning:
		res.Outcome = step.OutcomeWarned
	case status.Unknown, status.Progressing, status.Failing, status.Broken:
	}
	if finding.Hint.IsZero() && p.part.Health == r.Health && res.Outcome == step.OutcomeMissing {
		res.Finding.Hint = r.Hint()
	}
	return res
}

// messages returns the messages of a part and of its parts that are not ok.
func messages(p status.Part) []string {
	var lines []string
	if p.Message != "" {
		lines = append(lines, p.Message)
	}
	for _, sub := range p.Parts {
		if sub.Health == status.OK {
			continue
		}
		for _, line := range messages(sub) {
			lines = append(lines, strings.TrimPrefix(sub.Name+": "+line, ": "))
		}
	}
	return lines
}
