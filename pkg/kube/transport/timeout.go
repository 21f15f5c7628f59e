package transport

import (
	"context"
	"fmt"
	"io"
	"time"
)

// timeoutError means that a time limit was exceeded. It is a net.Error with Timeout.
type timeoutError struct{ after time.Duration }

// Error implements error.
func (e *timeoutError) Error() string {
	return fmt.Sprintf("no answer within %s", e.after)
}

// Timeout implements net.Error.
func (*timeoutError) Timeout() bool { return true }

// Temporary implements net.Error.
func (*timeoutError) Temporary() bool { return true }

// timeoutCause returns the timeoutError that canceled ctx, else err.
func timeoutCause(ctx context.Context, err error) error {
	if timeout, ok := context.Cause(ctx).(*timeoutError); ok { //nolint:errorlint // it is never wrapped
		return timeout
	}
	return err
}

// limitedBody is a body that ends with the request's time limit.
type limitedBody struct {
	inner  io.ReadCloser
	ctx    context.Context //nolint:containedctx // the request's context, for the cause of its end
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.inner.Read(p)
	if err != nil {
		err = timeoutCause(b.ctx, err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *limitedBody) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	return b.inner.Close()
}
