package main

import (
	"reflect"
	"testing"

	"github.com/operator-framework/operator-lifecycle-manager/pkg/api/client/clientset/versioned"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/controller/operators/catalog"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/operatorclient"
	"golang.org/x/time/rate"
	"k8s.io/client-go/util/flowcontrol"
)

// What unthrottle reaches for must be there in the OLM and client-go that go.mod pins.
func TestPinnedVersionsHaveTheFieldsUnthrottleNeeds(t *testing.T) {
	for name, want := range map[string]reflect.Type{
		"client":   reflect.TypeFor[versioned.Interface](),
		"opClient": reflect.TypeFor[operatorclient.ClientInterface](),
	} {
		f, ok := reflect.TypeFor[catalog.Operator]().FieldByName(name)
		if !ok || f.Type != want {
			t.Errorf("catalog.Operator.%s: found %v, type %v, want %v", name, ok, f.Type, want)
		}
	}
	limiter := flowcontrol.NewTokenBucketRateLimiter(5, 1)
	inner, err := field[*rate.Limiter](limiter, "limiter")
	if err != nil {
		t.Fatal(err)
	}
	inner.SetLimit(rate.Inf)
	for range 100 {
		if !limiter.TryAccept() {
			t.Fatal("the limiter still limits")
		}
	}
}

func TestFieldSaysWhatIsMissing(t *testing.T) {
	if _, err := field[int](&struct{ a int }{}, "b"); err == nil {
		t.Error("a missing field is no error")
	}
	if _, err := field[string](&struct{ a int }{a: 1}, "a"); err == nil {
		t.Error("a field of another type is no error")
	}
	if _, err := field[string](nil, "a"); err == nil {
		t.Error("nil is no error")
	}
	if err := unthrottle(&catalog.Operator{}); err == nil {
		t.Error("an operator without clients is no error")
	}
}
