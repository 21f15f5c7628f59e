package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// DecodedPage returns the items of one page and the token of the next. It retries an interrupted page.
func DecodedPage[T any](ctx context.Context, open func() (io.ReadCloser, error)) (items []*T, next string, err error) {
	err = retryBroken(ctx, open, func(body io.Reader) error {
		items = nil
		next, err = decodePage(body, func(item *T) { items = append(items, item) })
		return err
	})
	return items, next, err
}

// DecodedTable returns one page of a table. It retries an interrupted page. single is set for a request for one object
// by name.
func DecodedTable[T any](ctx context.Context, single bool, open func() (io.ReadCloser, error)) (*TablePage[T], error) {
	var page *TablePage[T]
	err := retryBroken(ctx, open, func(body io.Reader) (err error) {
		page, err = decodeTable[T](body, single)
		return err
	})
	return page, err
}

// retryBroken repeats the request if the answer is interrupted, at most maxTries times.
func retryBroken(ctx context.Context, open func() (io.ReadCloser, error), decode func(io.Reader) error) error {
	for pause, try := firstRetryPause, 1; ; try++ {
		body, err := open()
		if err != nil {
			return err
		}
		err = decode(body)
		_ = body.Close()
		if err == nil || !isBroken(err) || try == maxTries {
			return err
		}
		Sleep(ctx, pause)
		pause = min(2*pause, maxRetryPause)
	}
}

// decodePage decodes the items of a list one by one, so that a whole page is never in memory. It returns the continue
// token.
func decodePage[T any](body io.Reader, each func(*T)) (next string, err error) {
	return decodeFields(body, map[string]func(*json.Decoder) error{
		"items": func(in *json.Decoder) error { return decodeItems(in, "items", each) },
	})
}

// decodeFields decodes the fields of a list and skips the others. It returns the continue token.
func decodeFields(body io.Reader, fields map[string]func(*json.Decoder) error) (next string, err error) {
	in := json.NewDecoder(body)
	if err := expectDelim(in, '{'); err != nil {
		return "", err
	}
	for in.More() {
		field, err := in.Token()
		if err != nil {
			return "", err
		}
		name, _ := field.(string)
		switch decode := fields[name]; {
		case decode != nil:
			err = decode(in)
		case name == "metadata":
			var meta struct {
				Continue string `json:"continue"`
			}
			err = in.Decode(&meta)
			next = meta.Continue
		default:
			var other json.RawMessage
			err = in.Decode(&other)
		}
		if err != nil {
			return "", unexpectedEOF(err)
		}
	}
	// The closing brace must exist: a truncated body is not a list.
	_, err = in.Token()
	return next, unexpectedEOF(err)
}

// decodeItems decodes a list; null is an empty list.
func decodeItems[T any](in *json.Decoder, field string, each func(*T)) error {
	first, err := in.Token()
	switch {
	case err != nil:
		return unexpectedEOF(err)
	case first == nil:
		return nil
	case first != json.Delim('['):
		return fmt.Errorf("%s are not a list: %v", field, first)
	}
	for in.More() {
		item := new(T)
		if err := in.Decode(item); err != nil {
			return unexpectedEOF(err)
		}
		each(item)
	}
	_, err = in.Token()
	return unexpectedEOF(err)
}

// expectDelim reads the first delimiter of a document.
func expectDelim(in *json.Decoder, want json.Delim) error {
	switch first, err := in.Token(); {
	case err != nil:
		return unexpectedEOF(err)
	case first != want:
		return fmt.Errorf("it begins with %v", first)
	}
	return nil
}

// unexpectedEOF returns io.ErrUnexpectedEOF for io.EOF, which the decoder returns for a truncated document.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Unbuffered marks reads that the caller decodes while they arrive and retries itself.
func Unbuffered(ctx context.Context) context.Context {
	return context.WithValue(ctx, unbufferedKey{}, true)
}
