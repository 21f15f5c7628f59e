// Package audit reads the audit log of an API server, for tests and benchmarks that count requests on the server's
// side.
package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// Request is one request in the audit log. A watch is one request, however long it lasts.
type Request struct {
	// Verb is the API verb (get, list, watch, create, patch, ...) or, for non-resource requests, the HTTP method.
	Verb string
	// URI is the path and the query.
	URI string
	// User is the user name, Agent the User-Agent.
	User, Agent string
	// Group, Resource, Subresource, Namespace and Name identify the object; all are "" for non-resource requests.
	Group, Resource, Subresource, Namespace, Name string
	// Code is the HTTP status.
	Code int
	// Received is the arrival of the request. Answered is the time when the answer, or the first part of a watch, was
	// sent.
	Received, Answered time.Time
}

// DryRun reports whether the request is a dry run.
func (r Request) DryRun() bool { return strings.Contains(r.URI, "dryRun=All") }

// Log is an audit log that may still grow.
type Log struct {
	path   string
	offset int64
	seen   map[string]bool
}

// Open returns a Log that starts at the present end, so that earlier requests do not count. A missing file is an empty
// log.
func Open(path string) (*Log, error) {
	l := &Log{path: path, seen: map[string]bool{}}
	info, err := os.Stat(path)
	if err == nil {
		l.offset = info.Size()
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return l, err
}

// Next returns the requests since the last call, in the order of their answers.
func (l *Log) Next() ([]Request, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	if _, err := file.Seek(l.offset, io.SeekStart); err != nil {
		return nil, err
	}
	var out []Request
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, nil // an incomplete line is read by a later call
		}
		if err != nil {
			return out, err
		}
		l.offset += int64(len(line))
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return out, fmt.Errorf("%s: %w", l.path, err)
		}
		if !l.seen[e.ID] {
			l.seen[e.ID] = true
			out = append(out, e.request())
		}
	}
}

// By returns the requests of a program: the User-Agent is its name, or begins with its name and a slash.
func By(program string, requests []Request) []Request {
	var out []Request
	for _, r := range requests {
		if r.Agent == program || strings.HasPrefix(r.Agent, program+"/") {
			out = append(out, r)
		}
	}
	return out
}

// event has the fields of an audit.k8s.io/v1 Event that are used.
type event struct {
	ID         string    `json:"auditID"`
	Verb       string    `json:"verb"`
	RequestURI string    `json:"requestURI"`
	UserAgent  string    `json:"userAgent"`
	Received   time.Time `json:"requestReceivedTimestamp"`
	Stamp      time.Time `json:"stageTimestamp"`
	User       struct {
		Username string `json:"username"`
	} `json:"user"`
	ObjectRef struct {
		APIGroup    string `json:"apiGroup"`
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		Name        string `json:"name"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

func (e event) request() Request {
	ref := e.ObjectRef
	return Request{
		Verb: e.Verb, URI: e.RequestURI, User: e.User.Username, Agent: e.UserAgent,
		Group: ref.APIGroup, Resource: ref.Resource, Subresource: ref.Subresource, Namespace: ref.Namespace, Name: ref.Name,
		Code: e.ResponseStatus.Code, Received: e.Received, Answered: e.Stamp,
	}
}
