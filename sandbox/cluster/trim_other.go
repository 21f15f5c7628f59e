//go:build !linux

package cluster

import "context"

func trimText(context.Context, bool) {}
