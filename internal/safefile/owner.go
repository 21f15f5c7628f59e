package safefile

import "context"

// ownerKey is the key of AlsoOwnedBy's value.
type ownerKey struct{}

// AlsoOwnedBy returns a context under which folders and files of that user may be changed too. It is for root under
// sudo, who works for the user that called it.
func AlsoOwnedBy(ctx context.Context, uid uint32) context.Context {
	return context.WithValue(ctx, ownerKey{}, uid)
}

// owners says whose files may be changed.
type owners struct {
	also uint32
	sudo bool
}

func ownersOf(ctx context.Context) owners {
	uid, ok := ctx.Value(ownerKey{}).(uint32)
	return owners{uid, ok}
}
