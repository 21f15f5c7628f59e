package option

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// At returns the option of that name in a struct: by its yaml tag, or by the name of the field if it is not in a file.
// Dots separate nested structs. It panics if there is none.
func At(v reflect.Value, name string) reflect.Value {
	if outer, inner, ok := strings.Cut(name, "."); ok {
		return At(At(v, outer), inner)
	}
	for i := range v.NumField() {
		if t := v.Type().Field(i); t.Tag.Get("yaml") == name || strings.EqualFold(t.Name, name) {
			return v.Field(i)
		}
	}
	panic(fmt.Sprintf("%s has no option %q", v.Type(), name))
}

// Overlay copies the given options from one struct to another; from and onto are pointers to structs of one type. By it
// flags override a file.
func Overlay(given []Field, from, onto any) {
	for _, f := range given {
		At(reflect.ValueOf(onto).Elem(), f.Name).Set(At(reflect.ValueOf(from).Elem(), f.Name))
	}
}

// Validate checks the options of a struct against their rows: the allowed values, their number, and their form. Each
// error is an *Error. An empty text is valid if it is the default.
func Validate(fields []Field, options, defaults any) []error {
	var errs []error
	for _, f := range fields {
		v := At(reflect.ValueOf(options), f.Name)
		if k := v.Kind(); f.Max > 0 && (k == reflect.Slice || k == reflect.Map) && v.Len() > f.Max {
			errs = append(errs, Errorf(f.Name, nil, "given %d times, at most %d are allowed", v.Len(), f.Max))
		}
		if f.Values == nil && f.Check == nil || v.Kind() == reflect.String && v.Len() == 0 &&
			(f.Values == nil || At(reflect.ValueOf(defaults), f.Name).Len() == 0) {
			continue
		}
		for _, text := range texts(v) {
			if why, never := f.Refused[text]; never {
				errs = append(errs, Errorf(f.Name, text, "%s", why))
			} else if f.Values != nil && !slices.Contains(f.Values, text) {
				errs = append(errs, Errorf(f.Name, text, "must be one of %s", strings.Join(f.Values, ", ")))
			} else if f.Check != nil {
				if err := f.Check(text); err != nil {
					errs = append(errs, Errorf(f.Name, text, "%v", err))
				}
			}
		}
	}
	return errs
}

// texts returns the values of an option, each in the form of a flag.
func texts(v reflect.Value) []string {
	switch {
	case v.Kind() == reflect.Slice:
		out := make([]string, v.Len())
		for i := range out {
			out[i] = fmt.Sprint(v.Index(i))
		}
		return out
	case v.Kind() == reflect.Map:
		all := v.Convert(reflect.TypeFor[map[string]string]()).Interface().(map[string]string)
		var out []string
		for _, key := range slices.Sorted(maps.Keys(all)) {
			out = append(out, key+"="+all[key])
		}
		return out
	}
	return []string{fmt.Sprint(v)}
}
