import assert from "node:assert/strict";
import { forbidden, parseFloors, parseRooms } from "../../tools/layers.ts";

const page = new URL("../../docs/architecture.md", import.meta.url);
const rooms = parseRooms(await Deno.readTextFile(page));

/** One file that imports one other. */
function imports(path: string, target: string): string[] {
  return forbidden(rooms, [{ path, text: `import { x } from "${target}";\n` }]);
}

Deno.test("forbidden names file, layers and import of any other arrow", () => {
  const wrong: readonly (readonly [string, string, string])[] = [
    [
      "errors.ts",
      "./talos.ts",
      "errors.ts: errors.ts must not import talos.ts: talos.ts",
    ],
    [
      "pki/key.ts",
      "../config/osconfig.ts",
      "pki/key.ts: pki must not import config: config/osconfig.ts",
    ],
    [
      "transport/dial.ts",
      "../pki/chain.ts",
      "transport/dial.ts: transport must not import pki: pki/chain.ts",
    ],
    [
      "config/store.ts",
      "../transport/nodes.ts",
      "config/store.ts: config must not import transport: transport/nodes.ts",
    ],
    [
      "workflows/support/zip_archive.ts",
      "../../commands/_kit/view.ts",
      "workflows/support/zip_archive.ts: workflows must not import commands: commands/_kit/view.ts",
    ],
    [
      "workflows/ca/run_credentials.ts",
      "../rehearsal/rehearse.ts",
      "workflows/ca/run_credentials.ts: workflows must not import workflows/rehearsal: workflows/rehearsal/rehearse.ts",
    ],
    [
      "workflows/ca/run_credentials.ts",
      "../../simulator/node/node.ts",
      "workflows/ca/run_credentials.ts: workflows must not import simulator: simulator/node/node.ts",
    ],
    [
      "workflows/operations/change.ts",
      "../runbooks/runbook.ts",
      "workflows/operations/change.ts: workflows/operations must not import workflows/runbooks: workflows/runbooks/runbook.ts",
    ],
    [
      "workflows/runbooks/store/inbox.ts",
      "../engine/engine.ts",
      "workflows/runbooks/store/inbox.ts: workflows/runbooks/store must not import workflows/runbooks/engine: workflows/runbooks/engine/engine.ts",
    ],
    [
      "provisioners/embedded.ts",
      "../transport/nodes.ts",
      "provisioners/embedded.ts: provisioners must not import transport: transport/nodes.ts",
    ],
    [
      "mod.ts",
      "./transport/nodes.ts",
      "mod.ts: mod.ts must not import transport: transport/nodes.ts",
    ],
    [
      "simulator/node.ts",
      "../tests/_run.ts",
      "simulator/node.ts: simulator must not import tests: tests/_run.ts",
    ],
  ];
  for (const [path, target, line] of wrong) {
    assert.deepEqual(imports(path, target), [line]);
  }
});

Deno.test("forbidden sees every way to import", () => {
  const text = `import type { A } from "../config/a.ts";
import {
  b,
} from "../config/b.ts";
import "../config/c.ts";
export { d } from "../config/d.ts";
const e = await import("../config/e.ts");
const f = await import(
  "../config/f.ts"
);
`;
  assert.deepEqual(forbidden(rooms, [{ path: "pki/key.ts", text }]), [
    "pki/key.ts: pki must not import config: config/a.ts",
    "pki/key.ts: pki must not import config: config/b.ts",
    "pki/key.ts: pki must not import config: config/c.ts",
    "pki/key.ts: pki must not import config: config/d.ts",
    "pki/key.ts: pki must not import config: config/e.ts",
    "pki/key.ts: pki must not import config: config/f.ts",
  ]);
});

Deno.test("forbidden keeps commands apart", () => {
  assert.deepEqual(imports("commands/logs.ts", "./dmesg.ts"), [
    "commands/logs.ts: a command must not import another command: commands/dmesg.ts",
  ]);
  assert.deepEqual(imports("commands/logs.ts", "./_kit/mod.ts"), []);
  assert.deepEqual(imports("commands/etcd/members.ts", "./_row.ts"), []);
});

Deno.test("forbidden keeps private files in their folder", () => {
  assert.deepEqual(imports("commands/logs.ts", "./etcd/_row.ts"), [
    "commands/logs.ts: the file is private to its folder: commands/etcd/_row.ts",
  ]);
  assert.deepEqual(imports("commands/rotate_ca.ts", "./etcd/_row.ts"), [
    "commands/rotate_ca.ts: the file is private to its folder: commands/etcd/_row.ts",
  ]);
  assert.deepEqual(
    imports("commands/rotate_ca.ts", "./_runbook/session.ts"),
    [],
  );
  assert.deepEqual(imports("pki/key.ts", "./_table.ts"), []);
  assert.deepEqual(imports("pki/deep/key.ts", "../_table.ts"), []);
});

Deno.test("forbidden lets only the program see the index of commands", () => {
  const paths = [
    "commands/completion.ts",
    "commands/_kit/find.ts",
    "commands/_runbook/finders.ts",
  ];
  for (const path of paths) {
    const target = path.split("/").length > 2 ? "../_index.ts" : "./_index.ts";
    assert.deepEqual(imports(path, target), [
      `${path}: commands are handed the index: commands/_index.ts`,
    ]);
  }
});

Deno.test("parseRooms reads the table of the page", () => {
  const table = `
| Room        | What is in it | May import       |
| ----------- | ------------- | ---------------- |
| \`errors.ts\` | errors        |                  |
| \`pki\`       | keys          | \`errors.ts\`, \`x\` |
`;
  assert.deepEqual(
    [...parseRooms(table)],
    [["errors.ts", []], ["pki", ["errors.ts", "x"]]],
  );
});

Deno.test("parseRooms adds what a row allows where an ellipsis asks for it", () => {
  const table = `
| \`a\`   | A |               |
| \`b\`   | B | \`a\`         |
| \`c/d\` | D | \`b\` …, \`e/\` |
`;
  assert.deepEqual(parseRooms(table).get("c/d"), ["b", "a", "e/"]);
});

Deno.test("parseFloors reads the lists of the page, also over several lines", () => {
  const text = `
From the bottom up, \`a/\` has \`low\`,
\`high\`. A \`word\` behind it is none.

From the bottom up, \`b/\` has \`one\`.
`;
  assert.deepEqual(
    [...parseFloors(text)],
    [["a", ["low", "high"]], ["b", ["one"]]],
  );
});

Deno.test("forbidden lets no folder import one above it, nor one without a floor", async () => {
  const floors = parseFloors(await Deno.readTextFile(page));
  const found = (path: string, target: string) =>
    forbidden(
      rooms,
      [{ path, text: `import { x } from "${target}";` }],
      floors,
    );
  assert.deepEqual(found("workflows/checks/all.ts", "../etcd/quorum.ts"), []);
  assert.deepEqual(found("workflows/checks/all.ts", "./check.ts"), []);
  assert.deepEqual(found("simulator/state/node.ts", "../node/logs.ts"), [
    "simulator/state/node.ts: simulator/node is above simulator/state: simulator/node/logs.ts",
  ]);
  assert.deepEqual(found("workflows/etcd/quorum.ts", "../checks/all.ts"), [
    "workflows/etcd/quorum.ts: workflows/checks is above workflows/etcd: workflows/checks/all.ts",
  ]);
  assert.deepEqual(found("simulator/new/x.ts", "../node/logs.ts"), [
    "simulator/new/x.ts: the page gives simulator/new no floor: simulator/node/logs.ts",
  ]);
});
