package lazyregexp_test

import (
	"testing"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

func TestCompiledOnce(t *testing.T) {
	word := lazyregexp.New(`^[a-z]+$`)
	first := word.Get()
	if !first.MatchString("word") || first.MatchString("two words") {
		t.Errorf("%s does not match as written", first)
	}
	if word.Get() != first {
		t.Error("a second call compiles anew")
	}
}

func TestAWrongExpressionPanicsWhenUsed(t *testing.T) {
	wrong := lazyregexp.New(`(`)
	defer func() {
		if recover() == nil {
			t.Error("the wrong expression does not panic")
		}
	}()
	wrong.Get()
}
