import assert from "node:assert/strict";
import type { AnyCommand, IndexEntry } from "../../../commands/_kit/command.ts";
import { findBetween } from "../../../commands/_kit/find.ts";
import { strings, text, toggle, word } from "../../../commands/_kit/inputs.ts";
import { table } from "../../../terminal/view.ts";

function entry(name: string, inputs?: AnyCommand["inputs"]): IndexEntry {
  const command: AnyCommand = {
    summary: name,
    inputs: inputs ?? {},
    view: table({}),
    async *run() {},
  };
  return {
    name,
    summary: name,
    aliases: [],
    section: "node",
    hidden: false,
    group: inputs === undefined,
    ...(inputs && { load: () => Promise.resolve({ command }) }),
  };
}

const entries = [
  entry("meta"),
  entry("meta write", {
    key: word("key"),
    insecure: toggle("", { short: "i" }),
  }),
  entry("etcd"),
  entry("etcd alarm"),
  entry("etcd alarm list", {}),
  entry("image"),
  entry("image list", { namespace: text("") }),
];

const shared = { nodes: strings("nodes", { short: "n" }) };

async function findAll(line: string): Promise<string> {
  const { entry, rest } = await findBetween(entries, line.split(" "), shared);
  return `${entry.name}: ${rest.join(" ")}`;
}

Deno.test("a word that is neither a flag nor a command of a group is unknown, and nothing is looked for twice", async () => {
  for (
    const [line, message] of [
      ["etcd -1", 'Unknown command "etcd -1"'],
      ["etcd -", 'Unknown command "etcd -"'],
      ["etcd alarm -1 list", 'Unknown command "etcd alarm -1"'],
      ["etcd -n a -1", 'Unknown command "etcd -1"'],
      ["etcd -n a -", 'Unknown command "etcd -"'],
    ] as const
  ) {
    await assert.rejects(findAll(line), { name: "UsageError", message });
  }
});
