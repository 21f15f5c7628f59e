package safefile

import "context"

// ownerKey is the context key of AlsoOwnedBy.
type ownerKey struct{}

// AlsoOwnedBy returns a context that also accepts files and directories of that user. It is for root under sudo.
func AlsoOwnedBy(ctx context.Context, uid uint32) context.Context {
	return context.WithValue(ctx, ownerKey{}, uid)
}

// owners has the users whose files may be changed.
type owners struct {
	also uint32
	sudo bool
}

func ownersOf(ctx context.Context) owners {
	uid, ok := ctx.Value(ownerKey{}).(uint32)
	return owners{uid, ok}
}
