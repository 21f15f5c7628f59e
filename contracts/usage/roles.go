package usage

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
)

// Role is what a word is for.
type Role string

// The roles, in the words of reports.
const (
	// Key is a label, an annotation or a finalizer.
	Key Role = "label, annotation or finalizer"
	// ConditionType is the type of a condition.
	ConditionType Role = "condition type"
	// Reason is the reason of a condition.
	Reason Role = "reason"
	// Phase is a phase or state in a status.
	Phase Role = "phase"
	// ObjectName is the name or namespace of an object.
	ObjectName Role = "object name"
)

var (
	named = regexp.MustCompile(`(Name|Namespace)$`)
	keyed = regexp.MustCompile(`(Finalizer|Label|Annotation)$`)
)

// conditional is the name of what holds a condition's type.
var conditional = regexp.MustCompile(`^[Cc]ond(ition)?([A-Z]\w*)?$|Condition(Type)?$|^want(True|False)$`)

// roleOfName returns the role of a variable, parameter or constant by its name, or "".
func roleOfName(name string) Role {
	lower := strings.ToLower(name)
	switch {
	case conditional.MatchString(name):
		return ConditionType
	case name == "hopeless" || strings.HasSuffix(lower, "reason") || strings.HasPrefix(lower, "reason"):
		return Reason
	case name == "state" || strings.HasPrefix(lower, "phase") || strings.HasSuffix(lower, "phase"):
		return Phase
	}
	return ""
}

// roleOfConstant returns the role of a constant by its name, or "".
func roleOfConstant(name string) Role {
	switch {
	case keyed.MatchString(name):
		return Key
	case named.MatchString(name):
		return ObjectName
	}
	return roleOfName(name)
}

// roleOfExpr returns the role of a value that is compared, assigned or switched on, or "".
func roleOfExpr(e ast.Expr) Role {
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "reason" || e.Name == "phase" || e.Name == "state" || e.Name == "conditionType" {
			return roleOfName(e.Name)
		}
	case *ast.SelectorExpr:
		switch e.Sel.Name {
		case "Reason":
			return Reason
		case "Phase":
			return Phase
		case "Type":
			if x, ok := e.X.(*ast.Ident); ok && (x.Name == "c" || strings.HasPrefix(x.Name, "cond")) {
				return ConditionType
			}
		}
	case *ast.CallExpr:
		return roleOfPath(e.Args)
	case *ast.IndexExpr:
		if key, ok := e.Index.(*ast.BasicLit); ok {
			return roleOfField(strings.Trim(key.Value, `"`))
		}
	}
	return ""
}

// roleOfPath returns the role of a field of a status, such as kube.Text(o, "status", "phase"). A call needs more than
// one argument to be such a path.
func roleOfPath(args []ast.Expr) Role {
	if len(args) < 2 {
		return ""
	}
	last, ok := args[len(args)-1].(*ast.BasicLit)
	if !ok {
		return ""
	}
	return roleOfField(strings.Trim(last.Value, `"`))
}

// roleOfField returns the role of a JSON field.
func roleOfField(name string) Role {
	switch name {
	case "phase", "state":
		return Phase
	case "reason":
		return Reason
	}
	return ""
}

// typeName returns the last word of a literal's type, without the brackets of a list.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.ArrayType:
		return typeName(e.Elt)
	case *ast.MapType:
		return typeName(e.Value)
	case *ast.StarExpr:
		return typeName(e.X)
	}
	return ""
}

// roleOfKey returns the role of a field in a literal of the type.
func roleOfKey(literal, key string) Role {
	switch {
	case key == "Reason":
		return Reason
	case key == "Phase":
		return Phase
	case key == "Type" && strings.HasSuffix(strings.TrimSuffix(literal, "s"), "Condition"):
		return ConditionType
	case (key == "Name" || key == "Namespace") && slices.Contains([]string{"ObjectMeta", "NamespacedName", "ObjectKey",
		"Workload", "Object"}, literal):
		return ObjectName
	}
	return ""
}
