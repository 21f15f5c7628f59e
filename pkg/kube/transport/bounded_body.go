package transport

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// boundBody limits the size of an answer, in decompressed bytes.
func (p *Retry) boundBody(r *http.Request, resp *http.Response, body io.ReadCloser) (io.ReadCloser, error) {
	boundWarnings(resp.Header)
	about := p.Limits.requestInfo(r)
	if resp.StatusCode >= http.StatusBadRequest {
		if p.unwantedEncoding(resp) != "" {
			resp.Header.Set("Content-Type", "text/plain")
		}
		return &truncatedBody{body, maxErrorBytes}, nil
	}
	if form := p.unwantedEncoding(resp); form != "" && !about.log {
		return nil, p.tooLarge(r, about, "an answer in "+form+", which was not asked for,")
	}
	bounded := &boundedBody{ReadCloser: body, request: about, meter: jsonMeter{values: about.events}}
	bounded.json = !about.log && !isProtobuf(resp)
	bounded.fail = func(why string) error { return p.tooLarge(r, about, why) }
	bounded.page = p.pageInfo(r.Context(), about, r.URL)
	return bounded, nil
}

func (p *Retry) tooLarge(r *http.Request, about requestInfo, why string) error {
	server := p.serverAt(r.URL.String())
	return &TooLargeError{Server: server, What: about.what, Why: why, Guest: p.Limits.JSONOnly, page: about.list}
}

// unwantedEncoding returns the encoding of an answer that client-go would decode although the request did not accept
// it; "" for others.
func (p *Retry) unwantedEncoding(resp *http.Response) string {
	form, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if strings.Contains(form, "yaml") || strings.Contains(form, "cbor") || p.Limits.JSONOnly && isProtobuf(resp) {
		return form
	}
	return ""
}

func isProtobuf(resp *http.Response) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "protobuf")
}

// boundWarnings removes Warning headers that are too many or too long.
func boundWarnings(header http.Header) {
	const name = "Warning"
	if len(header[name]) == 0 {
		return
	}
	header[name] = slices.DeleteFunc(header[name], func(s string) bool { return len(s) > maxWarningBytes })
	header[name] = header[name][:min(maxWarnings, len(header[name]))]
}

// boundedBody fails once more than the limit is read.
type boundedBody struct {
	io.ReadCloser
	request requestInfo
	json    bool
	meter   jsonMeter
	read    int64
	// fail creates the error; failed is that error afterwards.
	fail   func(why string) error
	failed error
	// page receives the size of the page; nil if the request is not for a page.
	page *pageInfo
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	size := Size{b.read, b.read}
	if b.json {
		size.Bytes, size.Memory = b.meter.scan(p[:n])
	}
	if b.page != nil {
		b.page.Size = Size{b.read, max(b.read, size.Memory)}
	}
	switch limit := b.request.size; {
	case size.Bytes > limit.Bytes:
		b.failed = b.fail("more than " + bytesText(limit.Bytes))
	case b.json && size.Memory > limit.Memory:
		b.failed = b.fail("what takes more than " + bytesText(limit.Memory) + " of memory")
	case b.json && b.meter.tooDeep:
		b.failed = b.fail(fmt.Sprintf("JSON that is nested more than %d deep", maxDepth))
	default:
		return n, err
	}
	if b.request.log {
		return n, b.failed // the part of the log that was read is useful
	}
	return 0, b.failed
}

// truncatedBody returns io.EOF after a number of bytes.
type truncatedBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *truncatedBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
