import assert from "node:assert/strict";
import { indexOf } from "../../tools/index.ts";
import { withFolder } from "../_folder.ts";

const memory = `export const command = {
  summary: 'Show "memory"',
  aliases: ["m", "free"],
};
`;

/** The lines of the index that are entries. */
async function entries(
  files: Readonly<Record<string, string>>,
): Promise<string[]> {
  const found: string[] = [];
  await withFolder(files, async (folder) => {
    const text = await indexOf(new URL(`file://${folder}/`));
    found.push(...text.split("\n").filter((line) => line.startsWith("  ")));
  });
  return found;
}

Deno.test("indexOf writes a file that names and loads every command", async () => {
  await withFolder({ "memory.ts": memory }, async (folder) => {
    assert.equal(
      await indexOf(new URL(`file://${folder}/`)),
      `/** The commands. Generated from the command files by \`deno task index\`. */

import type { Entry } from "./_kit/command.ts";

/** Every command and group, by name. */
export const entries: readonly Entry[] = [
  { name: "memory", summary: "Show \\"memory\\"", aliases: ["m","free"], load: () => import("./memory.ts") },
];
`,
    );
  });
});

Deno.test("indexOf makes names from paths and sorts by them", async () => {
  const command = 'export const command = { summary: "x" };\n';
  const names = (await entries({
    "apply_config.ts": command,
    "etcd/_group.ts": 'export const group = { summary: "etcd" };\n',
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
    "etcd/_group.ts": 'export const group = { summary: "etcd" };\n',
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
  const group =
    'export const group = { summary: "x", section: "cluster", hidden: true };\n';
  const lines = await entries({
    "lab/_group.ts": group,
    "lab/create/_group.ts": 'export const group = { summary: "y" };\n',
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
    "lab/_group.ts":
      'export const group = { summary: "x", section: "cluster" };\n',
    "lab/debug/_group.ts":
      'export const group = { summary: "y", hidden: true };\n',
    "lab/debug/dump.ts": 'export const command = { summary: "z" };\n',
  });
  assert.match(lines.at(-1) ?? "", /section: "cluster", hidden: true/);
});

Deno.test("indexOf names a file that exports no command or group", async () => {
  await assert.rejects(entries({ "lab.ts": "export const cmd = 1;\n" }), {
    message: 'commands/lab.ts exports no "command"',
  });
  await assert.rejects(entries({ "lab/_group.ts": "export {};\n" }), {
    message: 'commands/lab/_group.ts exports no "group"',
  });
});
