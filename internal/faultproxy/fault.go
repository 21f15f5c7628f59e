package faultproxy

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// Fault is the treatment of one request. The zero Fault is Pass.
type Fault struct {
	// name is for the log.
	name string
	// instead replaces the request to the server.
	instead func(e *exchange)
	// pause is a delay before everything else.
	pause time.Duration
	// spoil changes the server's answer before it is sent to the client.
	spoil func(e *exchange, r *http.Response) error
}

// String returns the fault's name, "" for Pass.
func (f Fault) String() string {
	if f.pause > 0 {
		return fmt.Sprintf("delay %s %s", f.pause, f.name)
	}
	return f.name
}

// Pass forwards the request without a fault.
func Pass() Fault { return Fault{} }

// Answer answers in place of the server, which never gets the request.
func Answer(status int, headers map[string]string, body string) Fault {
	return Fault{name: "answer " + strconv.Itoa(status), instead: func(e *exchange) {
		for name, value := range headers {
			e.w.Header().Set(name, value)
		}
		e.entry(func(r *Request) { r.Status = status })
		e.w.WriteHeader(status)
		_, _ = io.WriteString(e.w, body)
	}}
}

// Refuse answers with a Status of that code and reason, such as 429, "TooManyRequests". A positive retryAfter is sent
// as Retry-After in seconds.
func Refuse(status int, reason, message string, retryAfter time.Duration) Fault {
	headers := map[string]string{"Content-Type": "application/json"}
	if retryAfter > 0 {
		headers["Retry-After"] = strconv.Itoa(int(retryAfter.Round(time.Second).Seconds()))
	}
	return Answer(status, headers, statusJSON(status, reason, message))
}

// Delay waits for d and then applies the other fault.
func Delay(d time.Duration, then Fault) Fault {
	then.pause += d
	return then
}

// Later adds d to the Date of the answer, from which hcctl derives the server's time.
func Later(d time.Duration) Fault {
	return Fault{name: "later " + d.String(), spoil: func(e *exchange, r *http.Response) error {
		if at, err := http.ParseTime(r.Header.Get("Date")); err == nil {
			r.Header.Set("Date", at.Add(d).Format(http.TimeFormat))
			e.met()
		}
		return nil
	}}
}

// Hang never answers, and the server never gets the request. It ends when the client cancels.
func Hang() Fault {
	return Fault{name: "hang", instead: func(e *exchange) {
		<-e.r.Context().Done()
		panic(http.ErrAbortHandler)
	}}
}

// DropBefore closes the connection before the server gets the request.
func DropBefore() Fault {
	return Fault{name: "drop before", instead: func(e *exchange) { drop(e.r) }}
}

// DropAfter closes the connection after the server has answered: the change is made, and the client does not know.
func DropAfter() Fault {
	return Fault{name: "drop after", spoil: func(e *exchange, _ *http.Response) error {
		e.met()
		return errSpoiled
	}}
}

// HangAfter forwards the request, but never sends the answer to the client.
func HangAfter() Fault {
	return Fault{name: "hang after", spoil: func(e *exchange, _ *http.Response) error {
		e.met()
		<-e.r.Context().Done()
		return errSpoiled
	}}
}

// Cut closes the connection after some bytes of the answer's body. A shorter answer passes.
func Cut(bytes int64) Fault {
	return Fault{name: "cut after " + strconv.FormatInt(bytes, 10), spoil: func(e *exchange, r *http.Response) error {
		r.Body = &cutBody{ReadCloser: r.Body, left: bytes, cut: func() { e.met(); drop(e.r) }}
		return nil
	}}
}

// Stall sends some bytes of the answer's body and then nothing more, like a watch without events.
func Stall(bytes int64) Fault {
	return Fault{name: "stall after " + strconv.FormatInt(bytes, 10), spoil: func(e *exchange, r *http.Response) error {
		r.Body = &cutBody{ReadCloser: r.Body, left: bytes, cut: func() { e.met(); <-e.r.Context().Done() }}
		return nil
	}}
}

// cutBody is a body that ends with a fault.
type cutBody struct {
	io.ReadCloser
	left int64
	cut  func()
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.cut()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
