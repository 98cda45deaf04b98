import assert from "node:assert/strict";
import fc from "fast-check";
import { readDocuments } from "../../../config/tree/read.ts";
import { ConfigError } from "../../../errors.ts";
import { renderGoTemplate } from "../../../config/go_template/render.ts";
import { fromNode } from "../../../config/go_template/values.ts";
import { findProgram, needs, optional, succeeds } from "../../_needs.ts";
import { withFiles } from "../../workflows/site/_site.ts";
import { template } from "./_generated.ts";
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
      ['{{ template "t" }}', "1, column 4", `"template" is not supported`],
      ["{{ break }}", "1, column 4", `"break" is not supported`],
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

const goProgram = ["go", "/usr/local/go/bin/go"].map(findProgram)
  .find((path) => path !== undefined);
const sprig = optional(
  "Go with sprig in its module cache",
  "only compares with it",
  () =>
    goProgram !== undefined &&
    succeeds([
      "sh",
      "-c",
      `test -d "$(${goProgram} env GOMODCACHE)/github.com/!masterminds/sprig/v3@v3.3.0"`,
    ]),
);

const program = `package main

import (
	"encoding/json"
	"os"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig/v3"
)

func main() {
	var texts, out []string
	_ = json.NewDecoder(os.Stdin).Decode(&texts)
	for _, text := range texts {
		dot := map[string]any{
			"name": "prod", "role": "worker", "count": 3, "big": 1000000, "empty": "", "yes": true,
			"list": []any{"a", "b", "c"}, "map": map[string]any{"b": 2, "a": "one"},
			"nested": map[string]any{"deep": map[string]any{"er": "x"}},
		}
		var b strings.Builder
		t, err := template.New("main").Option("missingkey=error").Funcs(sprig.FuncMap()).Parse(text)
		if err == nil {
			err = t.Execute(&b, dot)
		}
		if err != nil {
			out = append(out, "error")
		} else {
			out = append(out, b.String())
		}
	}
	_ = json.NewEncoder(os.Stdout).Encode(out)
}
`;

const module = `module compare

go 1.22

require github.com/Masterminds/sprig/v3 v3.3.0
`;

const offline = { GOFLAGS: "-mod=mod", GOPROXY: "off", GONOSUMDB: "*" };

/** What Go makes of templates; "error" for those that it refuses. */
async function renderWithGo(
  texts: readonly string[],
): Promise<readonly string[]> {
  let out = "";
  await withFiles({ "main.go": program, "go.mod": module }, async (folder) => {
    const child = new Deno.Command(goProgram ?? "go", {
      args: ["run", "."],
      cwd: folder,
      env: offline,
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(JSON.stringify(texts)));
    await writer.close();
    const { stdout, stderr, success } = await child.output();
    assert.ok(success, new TextDecoder().decode(stderr));
    out = new TextDecoder().decode(stdout);
  });
  return JSON.parse(out);
}

Deno.test({
  name: "text/template with sprig renders the same, also generated templates",
  ...needs(sprig),
  async fn() {
    const known = [...plainTemplates, ...sprigTemplates];
    const generated = fc.sample(template, { numRuns: 500, seed: 7 });
    const texts = [...known.map(([text]) => text), ...generated];
    const expected = await renderWithGo(texts);
    for (const [index, text] of texts.entries()) {
      let own: string;
      try {
        own = render(text);
      } catch (error) {
        assert.ok(error instanceof ConfigError, text);
        own = "error";
      }
      assert.equal(own, expected[index], text);
    }
    const good = expected.filter((one) => one !== "error").length;
    assert.ok(good > 0.6 * texts.length, `${good} of ${texts.length}`);
  },
});
