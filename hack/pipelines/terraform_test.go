package pipelines_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// TestTerraform reads the configuration by HashiCorp's own parser and runs the data source's program as the provider
// external does: a JSON object of texts in, one out. The provider itself is not to be had as a Go module.
func TestTerraform(t *testing.T) {
	file, problems := hclsyntax.ParseConfig([]byte(example(t, "terraform/main.tf")), "main.tf", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	var source, output *hclsyntax.Body
	for _, block := range file.Body.(*hclsyntax.Body).Blocks {
		switch block.Type + " " + strings.Join(block.Labels, " ") {
		case "data external cluster":
			source = block.Body
		case "output api":
			output = block.Body
		}
	}
	if source == nil || output == nil {
		t.Fatal("there is no data source or no output")
	}
	module, err := filepath.Abs(filepath.Join(examples, "terraform"))
	if err != nil {
		t.Fatal(err)
	}
	given := &hcl.EvalContext{Variables: map[string]cty.Value{
		"path": cty.ObjectVal(map[string]cty.Value{"module": cty.StringVal(module)}),
		"var":  cty.ObjectVal(map[string]cty.Value{"cluster": cty.StringVal("kv-00")}),
	}}
	value := func(body *hclsyntax.Body, name string, in *hcl.EvalContext) cty.Value {
		t.Helper()
		v, problems := body.Attributes[name].Expr.Value(in)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		return v
	}
	var program []string
	for _, word := range value(source, "program", given).AsValueSlice() {
		program = append(program, word.AsString())
	}
	query := map[string]string{}
	for key, v := range value(source, "query", given).AsValueMap() {
		query[key] = v.AsString()
	}
	sent, err := json.Marshal(query)
	if err != nil {
		t.Fatal(err)
	}

	p := newPlace(t, "0")
	stand := "#!/bin/sh\necho 'kv-00   192.0.2.10   4.20.3'\n"
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "hcctl"), []byte(stand), 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program[0], program[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = p.dir, []string{"PATH=" + bin + ":/usr/bin:/bin"}, strings.NewReader(string(sent))
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", program, err)
	}
	// The provider takes nothing but one flat object of texts.
	var result map[string]string
	if err := json.Unmarshal(out, &result); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answer := map[string]cty.Value{}
	for key, text := range result {
		answer[key] = cty.StringVal(text)
	}
	read := &hcl.EvalContext{Variables: map[string]cty.Value{"data": cty.ObjectVal(map[string]cty.Value{
		"external": cty.ObjectVal(map[string]cty.Value{
			"cluster": cty.ObjectVal(map[string]cty.Value{"result": cty.MapVal(answer)})})})}}
	if api := value(output, "value", read).AsString(); api != "192.0.2.10" {
		t.Errorf("the output is %q, from %s", api, out)
	}
}
