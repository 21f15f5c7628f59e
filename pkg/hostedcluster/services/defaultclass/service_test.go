package defaultclass

import (
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

func TestJudge(t *testing.T) {
	class := func(name, is string) storagev1.StorageClass {
		c := storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if is != "" {
			c.Annotations = map[string]string{defaultAnnotation: is}
		}
		return c
	}
	for name, tc := range map[string]struct {
		classes []storagev1.StorageClass
		state   step.State
		words   string
	}{
		"none yet":    {nil, step.StatePending, "is not there yet"},
		"another":     {[]storagev1.StorageClass{class("slow", "true")}, step.StatePending, "is not there yet"},
		"not marked":  {[]storagev1.StorageClass{class("fast", "")}, step.StateMissing, "is not the default class"},
		"marked no":   {[]storagev1.StorageClass{class("fast", "false")}, step.StateMissing, "is not the default class"},
		"it is":       {[]storagev1.StorageClass{class("fast", "true"), class("slow", "false")}, step.StateOK, "is the default"},
		"two of them": {[]storagev1.StorageClass{class("fast", "true"), class("slow", "true")}, step.StateMissing, "not the only default class: slow"},
	} {
		t.Run(name, func(t *testing.T) {
			steptest.Expect(t, judge(tc.classes, "fast"), tc.state, tc.words, "StorageClass fast of the hosted cluster")
		})
	}
}
