package cmdutil

import (
	"reflect"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options/optionstest"
)

// TestAMadeUpOptionIsAFlag: a row is all that a flag, its help, its completion and its variable need, and flags win
// over a file by it.
func TestAMadeUpOptionIsAFlag(t *testing.T) {
	known, row := optionstest.MadeUp(option.Fixed)
	given, cmd := options.Defaults(), &cobra.Command{Use: "test"}
	BindFields(cmd.Flags(), known, &given, AsGiven)
	CompleteFields(cmd, known, AsGiven)
	flag := cmd.Flags().Lookup(row.Flag)
	if flag == nil || flag.Usage != "what a test made up (one, two); needs multicluster engine 2.9" ||
		GroupOf(flag) != string(row.Group) {
		t.Fatalf("the flag is %+v", flag)
	}
	by, _ := cmd.GetFlagCompletionFunc(row.Flag)
	if words, _ := by(cmd, nil, ""); !reflect.DeepEqual(words, row.Values) {
		t.Errorf("it completes %q", words)
	}
	from, err := environment(cmd, func(name string) string { return map[string]string{"HCCTL_MADE_UP": "two"}[name] })
	if err != nil || !from[row.Flag] || given.Channel != "two" {
		t.Errorf("the environment says %v, %q: %v", from, given.Channel, err)
	}
	file := options.Cluster{Channel: "one", Version: "4.20.3"}
	option.Overlay(GivenFields(known, cmd.Flags(), AsGiven), &given, &file)
	if file.Channel != "two" || file.Version != "4.20.3" {
		t.Errorf("the flag over the file makes %q, %q", file.Channel, file.Version)
	}
}
