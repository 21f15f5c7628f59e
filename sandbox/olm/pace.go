package main

import (
	"fmt"
	"reflect"
	"unsafe"

	"golang.org/x/time/rate"
	"k8s.io/client-go/rest"
)

// limitRequests gives config client-go's own limits, which OLM leaves as they are (5 requests a second and 10 at once,
// for each API group), times speed.
func limitRequests(config *rest.Config, speed float64) {
	config.QPS = rest.DefaultQPS * float32(speed)
	config.Burst = int(float64(rest.DefaultBurst) * max(1, speed))
}

// clientFields are the fields of OLM's catalog operator that hold its clients, and what it makes further clients with.
var clientFields = []string{"client", "opClient", "dynamicClient", "clientFactory"}

// hasten multiplies the request limits of the clients in the fields clientFields of the struct that operator points at.
// OLM's catalog operator takes nothing but the path of a kubeconfig, which has no word for such limits, so they can
// only be changed where they are. It fails if the operator is not built as OLM v0.46.0 builds it.
func hasten(operator any, speed float64) error {
	seen := map[unsafe.Pointer]bool{}
	found := 0
	for _, name := range clientFields {
		field := reflect.ValueOf(operator).Elem().FieldByName(name)
		if !field.IsValid() {
			return fmt.Errorf("%T has no field %s", operator, name)
		}
		before := found
		walk(field, seen, func(limited any) {
			found++
			switch l := limited.(type) {
			case *rate.Limiter:
				l.SetLimit(l.Limit() * rate.Limit(speed))
				l.SetBurst(int(float64(l.Burst()) * max(1, speed)))
			case *rest.Config:
				limitRequests(l, speed)
			}
		})
		if found == before {
			return fmt.Errorf("no request limit in field %s of %T", name, operator)
		}
	}
	return nil
}

// walk goes through structs, pointers and interfaces below v, and calls visit for each limiter and client configuration
// once. It looks into no map, slice or function: clients keep their limiters in plain fields.
func walk(v reflect.Value, seen map[unsafe.Pointer]bool, visit func(any)) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), seen, visit)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			walk(field, seen, visit)
		}
	case reflect.Pointer:
		at := v.UnsafePointer()
		if at == nil || seen[at] {
			return
		}
		seen[at] = true
		// A value reached through unexported fields is read-only to reflect; the same place anew is not.
		whole := reflect.NewAt(v.Type().Elem(), at)
		switch limited := whole.Interface().(type) {
		case *rate.Limiter, *rest.Config:
			visit(limited)
		default:
			walk(whole.Elem(), seen, visit)
		}
	}
}
