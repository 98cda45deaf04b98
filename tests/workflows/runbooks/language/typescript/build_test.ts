import assert from "node:assert/strict";
import { sha256Hex } from "../../../../../lib/sha256.ts";
import { ConfigError, RefusedError } from "../../../../../errors.ts";
import { buildDocument } from "../../../../../workflows/runbooks/language/typescript/build.ts";
import {
  addTrust,
} from "../../../../../workflows/runbooks/language/typescript/trust.ts";
import { evaluateProgram } from "../../../../../workflows/runbooks/language/typescript/evaluate.ts";

Deno.test("a program becomes a document when it is trusted and imports nothing", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const places = { trusted: `${dir}/trusted.json`, policies: [] };
    const program =
      `export default (rb) => rb.runbook("a", { title: "A" }, (b) => b.sleep("s", "1s"));`;
    const trust = async (text: string) =>
      await addTrust(
        { sha256: await sha256Hex(text), path: text, at: "" },
        places,
      );
    await assert.rejects(
      buildDocument("a.ts", program, places),
      RefusedError,
    );
    await trust(program);
    assert.equal(
      JSON.parse((await buildDocument("a.ts", program, places)).document).name,
      "a",
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

const made = 'rb.runbook("a", { title: "A" }, (b) => b.sleep("s", "1s"))';

/** Imports as they may be written, what is imported, and where that is. */
const imports: readonly (readonly [
  program: string,
  module: string,
  place: string,
])[] = [
  [`import "node:fs";\nexport default (rb) => ${made};`, "node:fs", "1:9"],
  [
    `import { type A, EOL } from "node:os";\nconst end = EOL;\nexport default (rb) => ${made};`,
    "node:os",
    "1:30",
  ],
  [
    `export default (rb) => ${made};\nexport * from "node:os";`,
    "node:os",
    "2:16",
  ],
  [
    `await import("./a.ts");\nexport default (rb) => ${made};`,
    "./a.ts",
    "1:15",
  ],
  // A division looks like a regular expression.
  [
    `let r; const o = { in: 1 };\no.in / (r = import("node:fs")) / 1;\nexport default (rb) => ${made};`,
    "node:fs",
    "2:21",
  ],
  [
    `export default (rb) => { import("node:" + "fs"); return ${made}; };`,
    "node:fs",
    "",
  ],
  [
    `const text = "no import() of node:fs";\nexport default (rb) => { import("node:fs"); return ${made}; };`,
    "node:fs",
    "1:30",
  ],
];

for (const [program, module, place] of imports) {
  Deno.test(`an import is refused: ${program.slice(0, 60)}`, async () => {
    const error = await evaluateProgram("a.ts", program).catch((error) =>
      error
    );
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.message, `Cannot use "a.ts": it imports "${module}"`);
    assert.equal(
      error.hint,
      "Only import type is allowed; put everything into one file",
    );
    const { at } = error as { at?: { line: number; column: number } };
    assert.equal(at === undefined ? "" : `${at.line}:${at.column}`, place);
  });
}

Deno.test("types may be imported, and imports be written about", async () => {
  const { document } = await evaluateProgram(
    "a.ts",
    `import type { Api } from "./osctl-runbook.d.ts";
// import "node:fs";
const re = /import("node:fs")/;
export default (rb: Api) => ${made};`,
  );
  assert.equal(JSON.parse(document).name, "a");
});

const gpu = `
import type { Api } from "./osctl-runbook.d.ts";

export default (rb: Api) =>
  rb.runbook("upgrade-gpu", { title: "GPU workers" }, (b) => {
    const version = b.input.semver("version", { required: true });
    for (const zone of ["a", "b"]) {
      const group = b.group(\`gpu-\${zone}\`, { role: "worker" });
      b.forEach(\`zone-\${zone}\`, group, { batch: 2 }, (n) => {
        n.use("node", "builtin:node-upgrade", { version, drainTimeout: "10m" });
      });
    }
  });
`;

function making(lines: string): string {
  return `export default (rb) => {
    ${lines}
    return rb.runbook("a", { title: String(seen) }, (b) => b.sleep("s", "1s"));
  };`;
}

async function title(lines: string): Promise<string> {
  const { document } = await evaluateProgram("a.ts", making(lines));
  return JSON.parse(document).title;
}

Deno.test("a program makes a document", async () => {
  const step = (zone: string) => ({
    id: `zone-${zone}`,
    forEach: { nodes: `gpu-${zone}`, strategy: { batch: 2 } },
    steps: [{
      id: "node",
      use: "builtin:node-upgrade",
      with: { version: "${{ inputs.version }}", drainTimeout: "10m" },
    }],
  });
  const { document } = await evaluateProgram("gpu.ts", gpu);
  assert.deepEqual(JSON.parse(document), {
    apiVersion: "osctl/v1",
    kind: "Runbook",
    name: "upgrade-gpu",
    title: "GPU workers",
    inputs: { version: { type: "semver", required: true } },
    groups: { "gpu-a": { role: "worker" }, "gpu-b": { role: "worker" } },
    steps: [step("a"), step("b")],
  });
});

const faults: Readonly<Record<string, string>> = {
  "const a = 1;\nexport default () => 5;":
    "The default export returns no runbook",
  "const a = 1;\nexport default async () => 5;":
    "The default export is async; return the runbook",
  "let a = 1;\nexport default () => { while (true) a++; };":
    "it did not finish within 0.2 s",
};

Deno.test("a program that fails without a place fails at its default export", async () => {
  for (const [text, fault] of Object.entries(faults)) {
    const error = await evaluateProgram("a.ts", text, { timeoutMs: 200 })
      .catch((error) => error);
    assert.deepEqual([error.fault, error.at], [fault, { line: 2, column: 1 }]);
  }
  const byHand = 'const a = 1;\nexport default () => ({ kind: "Runbook" });';
  const { calls } = await evaluateProgram("a.ts", byHand);
  assert.deepEqual(calls, [{ path: [], line: 2, column: 1 }]);
});

Deno.test("time stands still, and chance is the same each time", async () => {
  assert.equal(
    await title(
      "const seen = [Date.now(), new Date().toISOString(), typeof Date(), new Date(0).getTime()];",
    ),
    "1767225600000,2026-01-01T00:00:00.000Z,string,0",
  );
  const chance = await title("const seen = [Math.random(), Math.random()];");
  assert.equal(
    await title("const seen = [Math.random(), Math.random()];"),
    chance,
  );
  assert.notEqual(chance.split(",")[0], chance.split(",")[1]);
});

Deno.test("a program has no rights and no way to others", async () => {
  assert.equal(
    await title(
      `const seen = ["Deno", "fetch", "Worker", "process", "WebSocket", "postMessage", "setTimeout", "performance", "crypto", "Intl", "self"]
      .map((name) => typeof globalThis[name]);`,
    ),
    Array(11).fill("undefined").join(","),
  );
  const ways = [
    "eval('1')",
    "new Function('return 1')",
    "(() => {}).constructor('return 1')",
    "(async () => {}).constructor('return 1')",
    "(function* () {}).constructor('return 1')",
    "(async function* () {}).constructor('return 1')",
  ];
  const refused = "Code in strings is not evaluated in a runbook";
  const tried = ways.map((way) =>
    `(() => { try { return ${way}; } catch ({ message }) { return message; } })()`
  );
  assert.equal(
    await title(`const seen = [${tried}];`),
    ways.map(() => refused).join(","),
  );
  await assert.rejects(
    title(`const seen = ${ways[0]};`),
    new ConfigError(`Cannot use "a.ts": ${refused}`),
  );
});

Deno.test("a program that does not end is killed", async () => {
  await assert.rejects(
    evaluateProgram("a.ts", "export default () => { for (;;); };", {
      timeoutMs: 300,
    }),
    new ConfigError('Cannot use "a.ts": it did not finish within 0.3 s', {
      hint: "Look for an endless loop",
    }),
  );
  await assert.rejects(
    evaluateProgram("a.ts", "for (;;); export default 1;", { timeoutMs: 300 }),
    /it did not finish/,
  );
});

Deno.test("a program that is none is reported", async () => {
  const table: readonly [string, RegExp][] = [
    ["export const a = 1;", /There is no default export/],
    ["export default 1;", /The default export is not a function/],
    ["export default () => { throw new Error('no way'); };", /no way/],
    ["export default () => { throw 'just so'; };", /just so/],
    ["export default (", /Cannot use "a\.ts": Expression expected$/],
    ["enum A { B }", /Cannot use "a\.ts": TypeScript enum is not supported$/],
    ["const a = 1, a = 2;", /Identifier 'a' has already been declared$/],
  ];
  for (const [text, message] of table) {
    await assert.rejects(evaluateProgram("a.ts", text), message, text);
  }
});

Deno.test("a program that makes something else each time is refused", async () => {
  await assert.rejects(
    // The address of the program is another one each time.
    title("const seen = new Error().stack;"),
    new ConfigError(
      'Cannot use "a.ts": it returns a different runbook each time it is called',
      { hint: "Use only inputs, not the time, random numbers or the machine" },
    ),
  );
});

Deno.test("a promise that nothing waits for fails the program, with its place", async () => {
  for (
    const [program, place] of [
      [
        `Promise.reject(new Error("lost"));\nexport default (rb) => ${made};`,
        1,
      ],
      [
        `export default (rb) => {\n  Promise.reject(new Error("lost"));\n  return ${made};\n};`,
        2,
      ],
    ] as const
  ) {
    const error = await evaluateProgram("a.ts", program).catch((error) =>
      error
    );
    assert.equal(error.message, 'Cannot use "a.ts": lost');
    assert.equal(error.at?.line, place);
  }
});
