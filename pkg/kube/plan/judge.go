package plan

import "context"

// Judge rejects a planned write by returning an error.
type Judge func(Write) error

type judgeKey struct{}

// WithJudge returns a context with a Judge, which a planning client calls for each write that changes something. A
// rejected write is not recorded and fails with the Judge's error.
func WithJudge(ctx context.Context, j Judge) context.Context {
	return context.WithValue(ctx, judgeKey{}, j)
}

func checkJudge(ctx context.Context, w Write) error {
	j, found := ctx.Value(judgeKey{}).(Judge)
	if !found || w.Verb == VerbChange && w.Diff() == "" {
		return nil
	}
	return j(w)
}
