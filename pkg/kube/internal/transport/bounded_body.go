package transport

import (
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// bound lets an answer be read within its limits only. Go has decompressed its body by then, and no more of it than
// is read.
func (p *Retry) bound(r *http.Request, resp *http.Response, body io.ReadCloser) (io.ReadCloser, error) {
	boundWarnings(resp.Header)
	about := p.Limits.asked(r)
	if resp.StatusCode >= http.StatusBadRequest {
		if p.unreadable(resp) != "" {
			resp.Header.Set("Content-Type", "text/plain")
		}
		return &cutBody{body, errorBytes}, nil
	}
	if form := p.unreadable(resp); form != "" && !about.log {
		return nil, p.tooLarge(r, about, "an answer in "+form+", which was not asked for,")
	}
	bounded := &boundedBody{ReadCloser: body, about: about, meter: jsonMeter{values: about.events}}
	bounded.json = !about.log && !isProtobuf(resp)
	bounded.fail = func(why string) error { return p.tooLarge(r, about, why) }
	bounded.seen = p.seen(r.Context(), about, r.URL)
	return bounded, nil
}

func (p *Retry) tooLarge(r *http.Request, about asked, why string) error {
	server := p.serverAt(r.URL.String())
	return &TooLargeError{Server: server, What: about.what, Why: why, Guest: p.Limits.JSONOnly, page: about.list}
}

// unreadable is the encoding of an answer that client-go would decode although nobody asks for it; empty for others.
func (p *Retry) unreadable(resp *http.Response) string {
	form, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if strings.Contains(form, "yaml") || strings.Contains(form, "cbor") || p.Limits.JSONOnly && isProtobuf(resp) {
		return form
	}
	return ""
}

func isProtobuf(resp *http.Response) bool {
	return strings.Contains(resp.Header.Get("Content-Type"), "protobuf")
}

// boundWarnings leaves out what is too many or too long of the server's warnings.
func boundWarnings(header http.Header) {
	const name = "Warning"
	if len(header[name]) == 0 {
		return
	}
	header[name] = slices.DeleteFunc(header[name], func(s string) bool { return len(s) > warningBytes })
	header[name] = header[name][:min(mostWarnings, len(header[name]))]
}

// boundedBody fails once more is read than there may be.
type boundedBody struct {
	io.ReadCloser
	about asked
	json  bool
	meter jsonMeter
	read  int64
	// fail makes the error, and failed is it.
	fail   func(why string) error
	failed error
	// seen learns the size of the page; nil where nobody wants to know.
	seen *pageSeen
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
	if b.seen != nil {
		b.seen.Size = Size{b.read, max(b.read, size.Memory)}
	}
	switch limit := b.about.size; {
	case size.Bytes > limit.Bytes:
		b.failed = b.fail("more than " + bytesText(limit.Bytes))
	case b.json && size.Memory > limit.Memory:
		b.failed = b.fail("what takes more than " + bytesText(limit.Memory) + " of memory")
	case b.json && b.meter.tooDeep:
		b.failed = b.fail(fmt.Sprintf("JSON that is nested more than %d deep", deepest))
	default:
		return n, err
	}
	if b.about.log {
		return n, b.failed // what there is of a log is of use
	}
	return 0, b.failed
}

// cutBody ends after so many bytes, as if there were no more.
type cutBody struct {
	io.ReadCloser
	left int64
}

// Read implements io.Reader.
func (b *cutBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
