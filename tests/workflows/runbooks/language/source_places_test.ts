import assert from "node:assert/strict";
import { finders } from "./_finders.ts";
import {
  type LoadOptions,
  loadRunbook,
} from "../../../../workflows/runbooks/language/loading/load.ts";
import { evaluateProgram } from "../../../../workflows/runbooks/language/typescript/evaluate.ts";
import {
  RunbookError,
  sourceProblemText,
} from "../../../../workflows/runbooks/language/problem.ts";

function problems(document: unknown): Promise<readonly string[]> {
  const built = { document: JSON.stringify(document), calls: [] };
  return programProblems("a program", () => Promise.resolve(built));
}

async function buildTrusted(path: string, text: string) {
  return await evaluateProgram(path, text);
}

async function programProblems(
  program: string,
  build: NonNullable<LoadOptions["build"]> = buildTrusted,
): Promise<readonly string[]> {
  const options: LoadOptions = {
    find: finders,
    read: () => Promise.resolve(program),
    build,
  };
  try {
    await loadRunbook("a.runbook.ts", options);
    return [];
  } catch (error) {
    if (!(error instanceof RunbookError)) throw error;
    return error.problems.map(sourceProblemText);
  }
}

const head = { apiVersion: "osctl/v1", kind: "Runbook", name: "a", title: "A" };

Deno.test("source places: missing keys in a program's output are reported for the whole", async () => {
  const { title: _, ...rest } = head;
  const steps = [{ id: "a", sleep: "1s" }];
  assert.deepEqual(await problems({ ...rest, steps }), [
    'a.runbook.ts:1:1: This runbook has no "title" (Give a string)',
  ]);
});

const program = `import type { Api, Steps } from "./osctl-runbook.d.ts";

/** Settings of every node. */
interface Part {
  readonly name: string;
}

function part(n: Steps, { name }: Part): void {
  n.run(name, "node.rebot");
}

export default (rb: Api) =>
  rb.runbook("a", { title: "A", per: "cluser" as "cluster" }, (b) => {
    const x = b.input.int("x", { min: "five" });
    const all = b.group("all", { where: "nod.ready" });
    for (const id of ["one", "two"]) {
      b.forEach(id, all, { batch: 1 }, (n) => part(n, { name: "restart" }), {
        rescue: (s) => {
          s.sleep("wait", "5 m");
        },
      });
    }
    b.variable("y", rb.cel\`inputs.z + \${x}\`);
    b.run("same", "etcd.status");
    b
      .gate("same", [
        { check: "cluster.helth" },
      ]);
    b.always((s) => s.run("snap", "etcd.snapshot"));
    b.output("o", "\${{ steps.none }}");
  });
`;

Deno.test("problems of a program are where it calls the builder", async () => {
  const found = await programProblems(program);
  assert.deepEqual(found.map((one) => one.replace(/^a\.runbook\.ts:/, "")), [
    '9:5: steps[0].steps[0].run: There is no module "node.rebot" (Did you mean "node.reboot"?)',
    '9:5: steps[1].steps[0].run: There is no module "node.rebot" (Did you mean "node.reboot"?)',
    '13:6: per: "cluser" is not one of the allowed values (Did you mean "cluster"?)',
    '14:23: inputs.x.min: Input "x": "five" is not a whole number (Give a whole number such as 3)',
    '15:19: groups.all.where: Unknown name "nod", in "nod.ready" (Did you mean "node"?)',
    '19:13: steps[0].rescue[0].sleep: "5 m" is not a duration (Give a duration such as 90s or 1h30m)',
    '19:13: steps[1].rescue[0].sleep: "5 m" is not a duration (Give a duration such as 90s or 1h30m)',
    '23:7: vars.y: "inputs" has no "z", in "${{ inputs.z + inputs.x }}" (Did you mean "x"?)',
    '26:8: steps[3].id: Step id "same" is already used in line 24 (Give it another id)',
    '26:8: steps[3].gate[0].check: There is no check "cluster.helth" (Did you mean "cluster.health"?)',
    '29:23: always[0]: "etcd.snapshot" needs "artifact" (Give a string)',
    '30:7: outputs.o: "steps" has no "none", in "${{ steps.none }}" (Did you mean "one"?)',
  ]);
});

Deno.test("a program that fails says where", async () => {
  const table: readonly (readonly [string, string])[] = [
    [
      "const a = 1;\nconst b = a a;\nexport default () => b;",
      "2:13: Cannot use it: Expected a semicolon",
    ],
    [
      "export default () => 1;\nlet a = 1;\nlet a = 2;",
      // The engine does not say where.
      "1:1: Cannot use it: Identifier 'a' has already been declared",
    ],
    [
      "type A =\n  | 1\n  | 2;\nexport default () => {\n  throw new Error('no way');\n};",
      "5:9: Cannot use it: no way",
    ],
    [
      "interface A { a: 1 }\nfunction f(rb) {\n  return rb.nothing.at;\n}\nexport default (rb) => f(rb);",
      "3:21: Cannot use it: Cannot read properties of undefined (reading 'at')",
    ],
    [
      "export default (rb) =>\n  rb.runbook('a', { title: 'A' }, (b) => {\n    b.variable('v', 1);\n    b.variable('v', 2);\n  });",
      '4:7: Cannot use it: Constant "v" already exists',
    ],
    [
      "\n  import 'node:fs';\nexport default 1;",
      '2:11: Cannot use it: it imports "node:fs" (Only import type is allowed; put everything into one file)',
    ],
    [
      "const a = 1;\n  export default a;",
      "2:3: Cannot use it: The default export is not a function",
    ],
    [
      "const a = 1;\nexport default () => a;",
      "2:1: Cannot use it: The default export returns no runbook",
    ],
    [
      "export const a = 1;",
      "1:1: Cannot use it: There is no default export; write: export default (rb: Api) => …",
    ],
    ["throw 'just so';", "1:1: Cannot use it: just so"],
  ];
  for (const [text, problem] of table) {
    assert.deepEqual(await programProblems(text), [`a.runbook.ts:${problem}`]);
  }
});
