package transport

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// pageShrink is the divisor for the page size after a page was too large.
const pageShrink = 4

// pageKey is the context key of a page's *pageInfo.
type pageKey struct{}

// pageInfo is the transport's report about a page.
type pageInfo struct {
	Size
	limits       Limits
	server, what string
}

// listPage lists at most limit objects, starting at a continue token. It returns the next token, "" after the last
// page, and the number of objects.
type listPage func(ctx context.Context, limit int64, from string) (next string, items int, err error)

// InPages lists page by page, with smaller pages if one is too large. held is set if the caller keeps all pages in
// memory. It returns the error of list, or *TooLargeError for an endless list.
func InPages(ctx context.Context, held bool, list listPage) error {
	progress := listProgress{held: held, seen: map[[sha256.Size]byte]bool{}}
	limit, from := int64(pageSize), ""
	for {
		var seen pageInfo
		next, items, err := list(context.WithValue(ctx, pageKey{}, &seen), limit, from)
		if pageTooLarge(err) && limit > 1 {
			limit = max(1, limit/pageShrink)
			continue
		}
		if err != nil || next == "" {
			return err
		}
		if why := progress.add(&seen, next, items); why != "" {
			return &TooLargeError{Server: seen.server, What: seen.what, Why: why, Guest: seen.limits.JSONOnly}
		}
		from = next
	}
}

// listProgress counts the pages of a list that have been read.
type listProgress struct {
	held         bool
	pages, empty int
	sum          Size
	// seen has the hashes of the continue tokens.
	seen map[[sha256.Size]byte]bool
}

// add counts a page that is not the last. It returns the exceeded limit, or "".
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

// pageInfo returns the pageInfo in which to report a page, nil for other requests.
func (p *Retry) pageInfo(ctx context.Context, about requestInfo, u *url.URL) *pageInfo {
	seen, _ := ctx.Value(pageKey{}).(*pageInfo)
	if seen == nil || !about.list {
		return nil
	}
	*seen = pageInfo{limits: p.Limits, server: p.serverAt(u.String()), what: about.what}
	return seen
}

// CheckMemory returns a *TooLargeError if memory exceeds the limit of a list. address is the server's URL, what names
// the request.
func (p *Retry) CheckMemory(memory int64, address, what string) error {
	limit := p.Limits.List.Memory
	if memory <= limit {
		return nil
	}
	why := "what takes more than " + bytesText(limit) + " of memory"
	return &TooLargeError{Server: p.serverAt(address), Guest: p.Limits.JSONOnly, What: what, Why: why}
}

// serverAt returns the server's name for the user.
func (p *Retry) serverAt(address string) string {
	if p.server != "" {
		return p.server
	}
	return "the API server at " + Host(address)
}

// Paged returns the options for one page of a list.
func Paged(o metav1.ListOptions, limit int64, from string) metav1.ListOptions {
	o.Limit, o.Continue = limit, from
	if o.ResourceVersion == AnyVersion {
		o.ResourceVersion = "" // the cache has no pages
	}
	return o
}

// pageSize is the maximum number of objects in one answer: a few megabytes of pods.
const pageSize = 500

// AnyVersion is the resource version with which the API server answers from its cache.
const AnyVersion = "0"
