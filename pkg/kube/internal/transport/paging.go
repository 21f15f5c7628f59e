package transport

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pageShrink is by how much fewer objects are asked for where a page was too large.
const pageShrink = 4

// pageKey marks the context of a page's request with the *pageInfo that learns of the answer.
type pageKey struct{}

// pageInfo is what the transport tells of a page.
type pageInfo struct {
	Size
	limits       Limits
	server, what string
}

// listPage asks for at most so many objects of a list, from where the page before ended. It returns where the next page
// begins, empty after the last, and how many objects there were.
type listPage func(ctx context.Context, most int64, from string) (next string, items int, err error)

// InPages asks for a list page by page, for fewer objects at a time where a page is too large. held is whether the
// caller keeps them all. It fails with the error of ask, or with *TooLargeError if the list has no end.
func InPages(ctx context.Context, held bool, ask listPage) error {
	course := listProgress{held: held, seen: map[[sha256.Size]byte]bool{}}
	most, from := int64(pageSize), ""
	for {
		var seen pageInfo
		next, items, err := ask(context.WithValue(ctx, pageKey{}, &seen), most, from)
		if pageTooLarge(err) && most > 1 {
			most = max(1, most/pageShrink)
			continue
		}
		if err != nil || next == "" {
			return err
		}
		if why := course.add(&seen, next, items); why != "" {
			return &TooLargeError{Server: seen.server, What: seen.what, Why: why, Guest: seen.limits.JSONOnly}
		}
		from = next
	}
}

// listProgress is how far a list has been read.
type listProgress struct {
	held         bool
	pages, empty int
	sum          Size
	// seen are the hashes of the continue tokens.
	seen map[[sha256.Size]byte]bool
}

// add takes a page that is not the last, and says what there is too much of; empty while there is not.
func (c *listProgress) add(p *pageInfo, next string, items int) string {
	c.pages++
	c.sum.Bytes, c.sum.Memory = c.sum.Bytes+p.Bytes, c.sum.Memory+p.Memory
	if items == 0 {
		c.empty++
	}
	token := sha256.Sum256([]byte(next))
	again := c.seen[token]
	c.seen[token] = true
	switch {
	case again:
		return "the same continue token twice"
	case len(next) > maxTokenBytes:
		return "a continue token of more than " + bytesText(maxTokenBytes)
	case c.empty > maxEmptyPages:
		return fmt.Sprintf("more than %d empty pages", maxEmptyPages)
	case p.limits.Pages > 0 && c.pages >= p.limits.Pages:
		return fmt.Sprintf("more than %d pages", p.limits.Pages)
	case p.limits.List.Bytes > 0 && c.sum.Bytes > p.limits.List.Bytes:
		return "more than " + bytesText(p.limits.List.Bytes)
	case p.limits.List.Memory > 0 && c.held && c.sum.Memory > p.limits.List.Memory:
		return "what takes more than " + bytesText(p.limits.List.Memory) + " of memory"
	}
	return ""
}

// pageInfo tells the reader of a list's pages about the answer; nil where nobody reads pages.
func (p *Retry) pageInfo(ctx context.Context, about requestInfo, u *url.URL) *pageInfo {
	seen, _ := ctx.Value(pageKey{}).(*pageInfo)
	if seen == nil || !about.list {
		return nil
	}
	*seen = pageInfo{limits: p.Limits, server: p.serverAt(u.String()), what: about.what}
	return seen
}

// CheckMemory is a *TooLargeError where more memory is taken than a list may take, nil otherwise. address is the
// server's, what is what was asked for.
func (p *Retry) CheckMemory(memory int64, address, what string) error {
	most := p.Limits.List.Memory
	if memory <= most {
		return nil
	}
	why := "what takes more than " + bytesText(most) + " of memory"
	return &TooLargeError{Server: p.serverAt(address), Guest: p.Limits.JSONOnly, What: what, Why: why}
}

// serverAt is the server for a person.
func (p *Retry) serverAt(address string) string {
	if p.server != "" {
		return p.server
	}
	return "the API server at " + Host(address)
}

// Paged is o for a page of the list.
func Paged(o metav1.ListOptions, most int64, from string) metav1.ListOptions {
	o.Limit, o.Continue = most, from
	if o.ResourceVersion == AnyVersion {
		o.ResourceVersion = "" // the cache has no pages
	}
	return o
}

// pageSize is how many objects one answer carries, at most: a few megabytes of pods.
const pageSize = 500

// AnyVersion lets the API server answer from its cache.
const AnyVersion = "0"
