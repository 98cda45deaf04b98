import assert from "node:assert/strict";
import { entries as allEntries } from "../../../commands/_index.ts";
import type { AnyCommand, IndexEntry } from "../../../commands/_kit/command.ts";
import {
  findBetween,
  findCommand,
  findEntry,
  refuseMisspelled,
} from "../../../commands/_kit/find.ts";
import { strings, text, toggle, word } from "../../../commands/_kit/inputs.ts";
import { meantCommands } from "../../../commands/_kit/not_here.ts";
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

Deno.test("a word of kubectl, or the last word of a command, leads to the command", async () => {
  for (
    const [word, hint] of [
      ["nodes", 'Did you mean "osctl get members"?'],
      ["pods", 'Did you mean "osctl containers --kubernetes"?'],
      ["drain", 'Did you mean "osctl node drain"?'],
      ["snapshot", 'Did you mean "osctl etcd snapshot"?'],
      ["verison", 'Did you mean "osctl version"?'],
    ] as const
  ) {
    await assert.rejects(findBetween(allEntries, [word], shared), { hint });
  }
  for (const [word, line] of meantCommands) {
    assert.ok(findCommand(allEntries, line.split(" ")).taken > 0, word);
    assert.throws(() => findCommand(allEntries, [word]), word);
  }
});

Deno.test("a misspelled command below a command with its own flags is suggested", async () => {
  for (
    const [line, message, hint] of [
      [
        "cluster create embeded",
        'Unknown command "cluster create embeded"',
        'Did you mean "osctl cluster create embedded"?',
      ],
      [
        "etcd snapshot verfy db.snapshot",
        'Unknown command "etcd snapshot verfy"',
        'Did you mean "osctl etcd snapshot verify"?',
      ],
      [
        "upgrade pln",
        'Unknown command "upgrade pln"',
        'Did you mean "osctl upgrade plan"?',
      ],
      [
        "cluster create dve",
        'Unknown command "cluster create dve"',
        'Did you mean "osctl cluster create dev"?',
      ],
      [
        "cluster crate",
        'Unknown command "cluster crate"',
        'Did you mean "osctl cluster create"?',
      ],
    ] as const
  ) {
    await assert.rejects(
      async () => {
        const { entry, rest } = await findBetween(
          allEntries,
          line.split(" "),
          shared,
        );
        const inputs = (await entry.load?.())?.command.inputs ?? {};
        refuseMisspelled(allEntries, entry, inputs, rest);
      },
      { name: "UsageError", message, hint },
      line,
    );
  }
  const create = findEntry(allEntries, "cluster create");
  assert.ok(create);
  refuseMisspelled(allEntries, create, {}, ["somewhere"]);
});
