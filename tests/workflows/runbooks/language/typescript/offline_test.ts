import assert from "node:assert/strict";

/** Programs, with PORT for the server, and the module that each is refused for; `undefined` where it is none. */
const programs: readonly (readonly [text: string, imported?: string])[] = [
  ['import a from "npm:left-pad";\nconsole.log(a);', "npm:left-pad"],
  ['import a from "npm:left-pad";', "npm:left-pad"],
  ['export * from "jsr:@std/path";', "jsr:@std/path"],
  [
    'export { a } from "http://127.0.0.1:PORT/a.ts";',
    "http://127.0.0.1:PORT/a.ts",
  ],
  [
    'import a from "http://127.0.0.1:PORT/a" with { type: "json" };',
    "http://127.0.0.1:PORT/a",
  ],
  ['import defer * as a from "npm:left-pad";', "npm:left-pad"],
  ['import "data:text/javascript,1";', "data:text/javascript,1"],
  ['import "blob:null/1";', "blob:null/1"],
  ['import("npm:left-pad");', "npm:left-pad"],
  ['const a = () => import("npm:left-pad");'],
  ['const a = () => import("http://127.0.0.1:PORT/a.ts");'],
  ['import type { A } from "npm:left-pad";\nexport type { A } from "npm:left-pad";'],
  ['/// <reference types="npm:left-pad" />\n// @deno-types="npm:left-pad"'],
  ["//# sourceMappingURL=http://127.0.0.1:PORT/a.map"],
];

const made =
  'export default (rb) => rb.runbook("a", { title: "A" }, (b) => b.sleep("s", "1s"));';

Deno.test("sandbox: programs cannot connect to anything", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = server.addr;
  let connections = 0;
  const counted = (async () => {
    for await (const connection of server) {
      connections++;
      connection.close();
    }
  })();
  const texts = programs.map(([text]) =>
    `${text.replaceAll("PORT", `${port}`)}\n${made}\n`
  );
  const evaluate = import.meta.resolve(
    "../../../../../workflows/runbooks/language/typescript/evaluate.ts",
  );
  // The runtime reads the registry when it starts.
  const script = `const { evaluateProgram } = await import(${
    JSON.stringify(evaluate)
  });
  const said = ${
    JSON.stringify(texts)
  }.map((text) => evaluateProgram("a.ts", text).then(() => "", (error) => error.message));
  console.log(JSON.stringify(await Promise.all(said)));`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", "--no-check", "--unstable-worker-options", script],
    env: { NPM_CONFIG_REGISTRY: `http://127.0.0.1:${port}` },
  }).output();
  server.close();
  await counted;
  const err = new TextDecoder().decode(stderr);
  assert.deepEqual(
    JSON.parse(new TextDecoder().decode(stdout) || `"${err}"`),
    programs.map(([, imported]) =>
      imported === undefined
        ? ""
        : `Cannot use "a.ts": it imports "${
          imported.replace("PORT", `${port}`)
        }"`
    ),
  );
  assert.equal(connections, 0);
});
