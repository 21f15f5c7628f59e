package crdschema

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// functions has the functions of CEL and Kubernetes that HyperShift's rules use.
var functions = sync.OnceValue(func() map[string]func(of, with, more any) (any, error) {
	return map[string]func(of, with, more any) (any, error){
		"matches": func(of, with, _ any) (any, error) {
			re, err := regexp.Compile(textOf(with))
			return err == nil && re.MatchString(textOf(of)), err
		},
		"find": func(of, with, _ any) (any, error) {
			re, err := regexp.Compile(textOf(with))
			if err != nil {
				return nil, err
			}
			return re.FindString(textOf(of)), nil
		},
		"contains": func(of, with, _ any) (any, error) { return strings.Contains(textOf(of), textOf(with)), nil },
		"endsWith": func(of, with, _ any) (any, error) { return strings.HasSuffix(textOf(of), textOf(with)), nil },
		"split": func(of, with, limit any) (any, error) {
			n, limited := limit.(int64)
			if !limited {
				n = -1
			}
			var all []any
			for _, part := range strings.SplitN(textOf(of), textOf(with), int(n)) {
				all = append(all, part)
			}
			return all, nil
		},
		"size": func(of, _, _ any) (any, error) { return size(of), nil },
		"int": func(of, _, _ any) (any, error) {
			return strconv.ParseInt(textOf(of), 10, 64)
		},
		"[]": func(of, with, _ any) (any, error) {
			list, _ := of.([]any)
			i, _ := with.(int64)
			if i < 0 || int(i) >= len(list) {
				return nil, errMissing
			}
			return list[i], nil
		},
		"orValue": func(of, with, _ any) (any, error) {
			if o, _ := of.(optional); o.found {
				return o.value, nil
			}
			return with, nil
		},
		"hasValue": func(of, _, _ any) (any, error) { o, _ := of.(optional); return o.found, nil },
		"isURL": func(of, _, _ any) (any, error) {
			u, err := url.ParseRequestURI(textOf(of))
			return err == nil && u.IsAbs(), nil
		},
		"url":       func(of, _, _ any) (any, error) { return url.ParseRequestURI(textOf(of)) },
		"getScheme": func(of, _, _ any) (any, error) { return urlOf(of).Scheme, nil },
		"getQuery": func(of, _, _ any) (any, error) {
			all := map[string]any{}
			for key := range urlOf(of).Query() {
				all[key] = true
			}
			return all, nil
		},
		"isCIDR": func(of, _, _ any) (any, error) { _, err := netip.ParsePrefix(textOf(of)); return err == nil, nil },
		"cidr":   func(of, _, _ any) (any, error) { return netip.ParsePrefix(textOf(of)) },
		"ip":     func(of, _, _ any) (any, error) { c, _ := of.(netip.Prefix); return c.Addr(), nil },
		"family": func(of, _, _ any) (any, error) {
			if a, _ := of.(netip.Addr); a.Is4() {
				return int64(4), nil
			}
			return int64(6), nil
		},
		"prefixLength": func(of, _, _ any) (any, error) { c, _ := of.(netip.Prefix); return int64(c.Bits()), nil },
		"duration":     func(of, _, _ any) (any, error) { return time.ParseDuration(textOf(of)) },
		"getSeconds":   func(of, _, _ any) (any, error) { d, _ := of.(time.Duration); return int64(d / time.Second), nil },
	}
})

// urlOf returns v if it is a URL, else an empty URL.
func urlOf(v any) *url.URL {
	if u, is := v.(*url.URL); is {
		return u
	}
	return &url.URL{}
}

func textOf(v any) string { s, _ := v.(string); return s }

func size(v any) int64 {
	switch v := v.(type) {
	case string:
		return int64(len([]rune(v)))
	case []any:
		return int64(len(v))
	case map[string]any:
		return int64(len(v))
	}
	return 0
}
