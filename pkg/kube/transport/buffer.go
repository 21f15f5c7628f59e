package transport

import (
	"errors"
	"io"
)

const (
	firstChunk = 4 * kib
	maxChunk   = mib
)

// bufferedBody is an answer in memory. It frees its chunks as they are read.
type bufferedBody struct{ chunks [][]byte }

// buffer reads r to its end.
func buffer(r io.Reader) (*bufferedBody, error) {
	k := &bufferedBody{}
	for size := firstChunk; ; size = min(2*size, maxChunk) {
		chunk := make([]byte, 0, size)
		for len(chunk) < size {
			n, err := r.Read(chunk[len(chunk):size])
			chunk = chunk[:len(chunk)+n]
			if err == nil {
				continue
			}
			k.chunks = append(k.chunks, chunk)
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return k, err
		}
		k.chunks = append(k.chunks, chunk)
	}
}

// Read implements io.Reader.
func (k *bufferedBody) Read(p []byte) (int, error) {
	for len(k.chunks) > 0 && len(k.chunks[0]) == 0 {
		k.chunks[0] = nil
		k.chunks = k.chunks[1:]
	}
	if len(k.chunks) == 0 {
		return 0, io.EOF
	}
	n := copy(p, k.chunks[0])
	k.chunks[0] = k.chunks[0][n:]
	return n, nil
}

// Close implements io.Closer.
func (k *bufferedBody) Close() error {
	k.chunks = nil
	return nil
}
