import assert from "node:assert/strict";
import { importsIn } from "../../../../../workflows/runbooks/language/typescript/imports.ts";

function kinds(program: string): string {
  return importsIn(program).map(({ kind }) => kind).join(" + ");
}

Deno.test("imports are found however they are written", () => {
  const table: readonly [string, string][] = [
    ['import "a";', "import"],
    ['import a from "a";', "import"],
    ['import { a } from "a";', "import"],
    ['import * as a from "a";', "import"],
    ['import/**/a from "a";', "import"],
    ['import type from "a";', "import"],
    ['import type, { a } from "a";', "import"],
    ['import defer * as a from "a";', "import"],
    ["const a = await import('a');", "import()"],
    ["import /* x */ ( 'a' )", "import()"],
    ["let a: import('a').B;", "import()"],
    ['export * from "a";', "export … from"],
    ['export * as a from "a";', "export … from"],
    ['export { a } from "a";', "export … from"],
    ['export{a,b as default}from"a";', "export … from"],
    ["`${import('a')}`", "import()"],
    ["`${`${import('a')}`}`", "import()"],
    ["`${ { a: {} } }` + import('a')", "import()"],
    ["a = 1 /import('a')/ 2", "import()"],
    ["a = b() / import('a') / 2", "import()"],
    ["a = b[0] / import('a') / 2", "import()"],
    ["if (a) /'/.test(b); import('a') /* ' */", "import()"],
    ["a = {} / import('a') / 2", "import()"],
    ["{}\n/'/.test(a); import('b') // '", "import()"],
    ["a = /[/'\"]/; import('b')", "import()"],
    ["a = 'x\\'; import(1)'; import('b')", "import()"],
    ["// a\u2028import('b')", "import()"],
    ["// a\rimport('b')", "import()"],
    ["a++ / import('b') / 2", "import()"],
    ["a! / import('b') / 2", "import()"],
    ["{}\n/'/.test(a); a++ / import('b') / '1'", "import()"],
    ["{}\n/'/.test(a); import 'b'; a++ / '1'", "import"],
    ["{}\n/'/.test(a); export { c } from 'b'; a++ / '1'", "export … from"],
    ["{}\n/x/.test(a) // import('in a comment')", "import()"],
    ["'unfinished\nimport('b')", "import()"],
    ["import('a'); export * from 'b'", "import() + export … from"],
  ];
  for (const [program, expected] of table) {
    assert.equal(kinds(program), expected, program);
  }
});

Deno.test("what only looks like an import is none", () => {
  const programs = [
    'import type { Api } from "./osctl-runbook.d.ts";',
    'import type * as a from "a";',
    'import type A from "a";',
    'export type { A } from "a";',
    'export type * from "a";',
    "export default () => 1;",
    "export { a };",
    "export { a }; const from = 1;",
    "// import 'a'",
    "/* import('a') */ a",
    "'import(1)' + \"export * from 'a'\"",
    "`import('a') ${b} import('c')`",
    "`\\${import('a')}`",
    "a = /import('a')/",
    "return /import('a')/",
    "if (a) /import('a')/.test(b)",
    "{}\n/x/.test(a); import type { A } from 'a'; a.import('b')",
    "a.import('b')",
    "a?.import('b')",
    "a = { import: 1 }",
    "import.meta.url",
    "importer('a'); reimport('a'); $import('a'); #import('a')",
    "#!import('a')\n1",
    "",
  ];
  for (const program of programs) assert.equal(kinds(program), "", program);
});

Deno.test("an import is reported with its place", () => {
  assert.deepEqual(importsIn("// one\nconst a =\n  import('a');"), [
    { line: 3, column: 3, kind: "import()" },
  ]);
});
