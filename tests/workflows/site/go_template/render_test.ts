import assert from "node:assert/strict";
import { readDocuments } from "../../../../config/tree/read.ts";
import { ConfigError } from "../../../../errors.ts";
import { renderGoTemplate } from "../../../../workflows/site/go_template/render.ts";
import { fromNode } from "../../../../workflows/site/go_template/values.ts";
import { findProgram, needs, optional } from "../../../_needs.ts";
import { withFiles } from "../_site.ts";
import {
  dot,
  helmTemplates,
  plainTemplates,
  sprigTemplates,
} from "./_corpus.ts";

const [document] = readDocuments(dot, "dot").documents;

function render(text: string): string {
  const root = fromNode(document?.root);
  assert.ok(root instanceof Map);
  const env = (name: string) => name === "ZONE" ? "b" : undefined;
  return renderGoTemplate(text, root, { file: "a.tpl", env });
}

for (
  const [what, corpus] of Object.entries({
    "without further functions": plainTemplates,
    "with functions of sprig": sprigTemplates,
    "with functions of Helm": helmTemplates,
  })
) {
  Deno.test(`templates ${what} render as they do elsewhere`, () => {
    for (const [text, expected] of corpus) {
      assert.equal(render(text), expected, text);
    }
  });
}

Deno.test("env reads the environment", () => {
  assert.equal(render(`{{ env "ZONE" }}[{{ env "NONE" }}]`), "b[]");
});

Deno.test("what is wrong is said by line and column", () => {
  for (
    const [text, at, fault, hint] of [
      [
        "a\n  {{ .nam }}",
        "2, column 6",
        `There is no key "nam"`,
        `Did you mean "name"?`,
      ],
      ["{{ .nested.deep.no.x }}", "1, column 16", `There is no key "no"`],
      [
        "{{ .name.x }}",
        "1, column 9",
        `There is no "x" in a value of kind string`,
      ],
      ["{{ htpasswd 1 2 }}", "1, column 4", `There is no function "htpasswd"`],
      [
        "{{ .name | qoute }}",
        "1, column 12",
        `There is no function "qoute"`,
        `Did you mean "quote"?`,
      ],
      ["{{ if .name }}", "1, column 1", `"if" has no {{end}}`],
      ["{{ end }}", "1, column 4", "Unexpected {{end}}"],
      [
        "x {{ .name",
        "1, column 3",
        "An action is not closed",
        "End it with }}",
      ],
      ["{{ $x }}", "1, column 4", `There is no variable "$x"`],
      [
        "{{ eq .name 1 }}",
        "1, column 4",
        `Function "eq": string and int cannot be compared`,
      ],
      [
        "{{ indent 1 }}",
        "1, column 4",
        `Function "indent" takes 2 arguments, not 1`,
      ],
      ['{{ fail "no" }}', "1, column 4", `Function "fail": no`],
      [
        '{{ required "zone is missing" .empty }}',
        "1, column 4",
        `Function "required": zone is missing`,
      ],
      [
        "{{ index .list 7 }}",
        "1, column 4",
        `Function "index": index 7 is out of range`,
      ],
      [
        "{{ range .name }}{{ end }}",
        "1, column 10",
        `"range" needs a list or a mapping: this is string`,
      ],
      ['{{ template "t" }}', "1, column 1", `There is no template "t"`],
      [
        '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}',
        "1, column 17",
        `Template "t" uses itself without an end`,
      ],
      ["{{ break }}", "1, column 1", `"break" is outside of a range`],
      ["{{ ? }}", "1, column 4", `Unexpected character "?"`],
    ] as const
  ) {
    assert.throws(
      () => render(text),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError, text);
        assert.equal(
          error.message,
          `Cannot read "a.tpl" at line ${at}: ${fault}`,
          text,
        );
        assert.equal(error.hint, hint);
        return true;
      },
    );
  }
});

Deno.test("a template without an end is stopped", () => {
  const text =
    "{{ range until 1000 }}{{ range until 1000 }}{{ range until 9 }}x{{ end }}{{ end }}{{ end }}";
  assert.throws(() => render(text), /takes more than 1000000 steps/);
});

const go = optional(
  "go",
  "the language, not needed elsewhere",
  () =>
    findProgram("go") !== undefined ||
    findProgram("/usr/local/go/bin/go") !== undefined,
);

const program = `package main

import (
	"encoding/json"
	"os"
	"strings"
	"text/template"
)

func main() {
	var texts, out []string
	_ = json.NewDecoder(os.Stdin).Decode(&texts)
	dot := map[string]any{
		"name": "prod", "role": "worker", "count": 3, "big": 1000000, "empty": "", "yes": true,
		"list": []any{"a", "b", "c"}, "map": map[string]any{"b": 2, "a": "one"},
		"nested": map[string]any{"deep": map[string]any{"er": "x"}},
	}
	for _, text := range texts {
		var b strings.Builder
		t, err := template.New("main").Option("missingkey=error").Parse(text)
		if err == nil {
			err = t.Execute(&b, dot)
		}
		if err != nil {
			out = append(out, "error: "+err.Error())
		} else {
			out = append(out, b.String())
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(out)
}
`;

Deno.test({
  name: "text/template renders the same",
  ...needs(go),
  async fn() {
    await withFiles({ "main.go": program }, async (folder) => {
      const child = new Deno.Command(
        findProgram("go") ?? "/usr/local/go/bin/go",
        {
          args: ["run", `${folder}/main.go`],
          stdin: "piped",
          stdout: "piped",
        },
      ).spawn();
      const writer = child.stdin.getWriter();
      const texts = plainTemplates.map(([text]) => text);
      await writer.write(new TextEncoder().encode(JSON.stringify(texts)));
      await writer.close();
      const { stdout } = await child.output();
      assert.deepEqual(
        JSON.parse(new TextDecoder().decode(stdout)),
        plainTemplates.map(([, expected]) => expected),
      );
    });
  },
});
