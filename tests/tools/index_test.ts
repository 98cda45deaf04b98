import assert from "node:assert/strict";
import { indexOf } from "../../tools/index.ts";
import { withFolder } from "../_folder.ts";

const memory = `export const command = {
  summary: 'Show "memory"',
  aliases: ["m", "free"],
};
`;

const none = "export const groups = {};\n";

/** The lines of the index that are entries. */
async function entries(
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  const found: string[] = [];
  await withFolder({ "_groups.ts": none, ...files }, async (folder) => {
    const text = await indexOf(new URL(`file://${folder}/`));
    found.push(...text.split("\n").filter((line) => line.startsWith("  ")));
  });
  return found;
}

Deno.test("indexOf writes a file that names and loads every command", async () => {
  await withFolder(
    { "_groups.ts": none, "memory.ts": memory },
    async (folder) => {
      assert.equal(
        await indexOf(new URL(`file://${folder}/`)),
        `// deno-fmt-ignore-file
/** The commands. Generated from the command files by \`deno task index\`. */

import type { IndexEntry } from "./_kit/command.ts";

/** Every command and group, by name. */
export const entries: readonly IndexEntry[] = [
  { name: "memory", summary: "Show \\"memory\\"", aliases: ["m","free"], load: () => import("./memory.ts") },
];
`,
      );
    },
  );
});

Deno.test("indexOf makes names from paths and sorts by them", async () => {
  const command = 'export const command = { summary: "x" };\n';
  const names = (await entries({
    "apply_config.ts": command,
    "_groups.ts": 'export const groups = { etcd: { summary: "etcd" } };\n',
    "etcd/members.ts": command,
    "etcd/_row.ts": "nonsense",
    "_kit/view.ts": "nonsense",
    "_index.ts": "nonsense",
  })).map((line) => line.match(/name: "(.*?)".*?(import\(.*?\)|group: true)/));
  assert.deepEqual(names.map((match) => match?.slice(1)), [
    ["apply-config", 'import("./apply_config.ts")'],
    ["etcd", "group: true"],
    ["etcd members", 'import("./etcd/members.ts")'],
  ]);
});

Deno.test("indexOf takes a command with commands below it", async () => {
  const command = 'export const command = { summary: "x" };\n';
  const lines = await entries({
    "_groups.ts": 'export const groups = { etcd: { summary: "etcd" } };\n',
    "etcd/snapshot.ts": command,
    "etcd/snapshot/verify.ts": command,
  });
  assert.deepEqual(
    lines.map((line) =>
      line.match(/name: "(.*?)".*(group: \w+|load)/)?.slice(1)
    ),
    [
      ["etcd", "group: true"],
      ["etcd snapshot", "load"],
      ["etcd snapshot verify", "load"],
    ],
  );
});

Deno.test("indexOf gives commands the section of their group, and hides them with it", async () => {
  const groups = `export const groups = {
  lab: { summary: "x", section: "cluster", hidden: true },
  "lab create": { summary: "y" },
};
`;
  const lines = await entries({
    "_groups.ts": groups,
    "lab/create/vm.ts": 'export const command = { summary: "z" };\n',
    "lab/show.ts":
      'export const command = { summary: "z", section: "node", hidden: false };\n',
  });
  assert.deepEqual(
    lines.map((line) =>
      line.match(/name: "(.*?)".*"[xyz]", (.*(?:group|load))/)?.slice(1)
    ),
    [
      ["lab", 'section: "cluster", hidden: true, group'],
      ["lab create", 'section: "cluster", hidden: true, group'],
      ["lab create vm", 'section: "cluster", hidden: true, load'],
      ["lab show", "load"],
    ],
  );
});

Deno.test("indexOf lets an inner group decide before an outer one", async () => {
  const lines = await entries({
    "_groups.ts": `export const groups = {
  lab: { summary: "x", section: "cluster" },
  "lab debug": { summary: "y", hidden: true },
};
`,
    "lab/debug/dump.ts": 'export const command = { summary: "z" };\n',
  });
  assert.match(lines.at(-1) ?? "", /section: "cluster", hidden: true/);
});

Deno.test("indexOf names a file that exports no command", async () => {
  await assert.rejects(entries({ "lab.ts": "export const cmd = 1;\n" }), {
    message: 'commands/lab.ts exports no "command"',
  });
});
