package plan

import "context"

// Judge refuses a planned write by an error.
type Judge func(Write) error

type judgeKey struct{}

// WithJudge returns a context in which a planning client asks the judge about each write that changes something. A
// write that it refuses is not recorded, and fails with its error.
func WithJudge(ctx context.Context, j Judge) context.Context {
	return context.WithValue(ctx, judgeKey{}, j)
}

func judged(ctx context.Context, w Write) error {
	j, asked := ctx.Value(judgeKey{}).(Judge)
	if !asked || w.Verb == VerbChange && w.Diff() == "" {
		return nil
	}
	return j(w)
}
