package main

import (
	"fmt"
	"reflect"
	"unsafe"

	"golang.org/x/time/rate"
	"k8s.io/client-go/rest"
)

// limitRequests sets client-go's default limits, which OLM uses (5 requests a second and 10 at once, for each API
// group), multiplied by speed.
func limitRequests(config *rest.Config, speed float64) {
	config.QPS = rest.DefaultQPS * float32(speed)
	config.Burst = int(float64(rest.DefaultBurst) * max(1, speed))
}

// clientFields are the fields of OLM's catalog operator that hold its clients and its client factory.
var clientFields = []string{"client", "opClient", "dynamicClient", "clientFactory"}

// raiseLimits multiplies the request limits in the fields clientFields of the struct that operator points at. OLM's
// catalog operator takes only the path of a kubeconfig, which cannot set limits; it fails for an operator unlike OLM
// v0.46.0's.
func raiseLimits(operator any, speed float64) error {
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

// walk visits each limiter and client configuration below v once, through structs, pointers and interfaces. It skips
// maps, slices and functions, because clients keep their limiters in plain fields.
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
		// reflect forbids writes through unexported fields. A new value at the same address allows them.
		whole := reflect.NewAt(v.Type().Elem(), at)
		switch limited := whole.Interface().(type) {
		case *rate.Limiter, *rest.Config:
			visit(limited)
		default:
			walk(whole.Elem(), seen, visit)
		}
	}
}
