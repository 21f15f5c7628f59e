package multicluster

import (
	"strings"
	"testing"
)

func TestOptions(t *testing.T) {
	if err := (Options{EnableComponents: []string{"hypershift", "local-cluster"}}).Validate(); err != nil {
		t.Error(err)
	}
	err := (Options{EnableComponents: []string{"hypershift", "hive"}}).Validate()
	if err == nil || !strings.Contains(err.Error(), `"hive"`) ||
		!strings.Contains(err.Error(), "hosted clusters do not need") {
		t.Errorf("got %v", err)
	}
}
