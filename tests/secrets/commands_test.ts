/** No command shows a value that is secret in a configuration it knows, whatever nodes say and in every format. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { AnyCommand } from "../../commands/_kit/command.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { refusingNodes, talkingNodes } from "./_nodes.ts";
import { disclosed, filesBelow, leaksIn, plant, reported } from "./_planted.ts";

const planted = plant("commands");
// As if the process had read it.
loadDocuments(planted.text, "f");
const said = reported(planted.markers.values());

const commands = await Promise.all(
  entries.filter(({ load }) => load !== undefined).map(async (entry) => {
    const loaded = await entry.load?.();
    assert.ok(loaded !== undefined);
    return { name: entry.name, command: loaded.command };
  }),
);

/** Commands that begin processes, dial by themselves, or ask no node. */
const elsewhere = /^(cluster|doctor|runbook|gen|machineconfig gen)\b/;

function isDisclosing({ view, discloses }: AnyCommand): boolean {
  return discloses !== undefined ||
    typeof view === "object" && view.kind === "bytes";
}

Deno.test("no other command than these gives data past the masker", () =>
  assert.deepEqual(
    commands.filter(({ command }) => isDisclosing(command))
      .map(({ name }) => name),
    disclosed.commands,
  ));

/** Words that a command line needs, and flags that end waiting. */
function lineOf(command: AnyCommand, file: string): string[] {
  const inputs: Readonly<Record<string, AnyInput<unknown>>> = allInputs(
    command,
  );
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const value = input.complete === "files" ? file : "some";
    const flag = `--${
      key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    }`;
    if (input.role === "argument") {
      if (input.most > 0) words.push(value);
    } else if (/^(waitTimeout|timeout)$/.test(key)) flags.push(`${flag}=20ms`);
    else if (key === "wait") flags.push(`${flag}=false`);
    else if (key === "yes" && input.type === "") flags.push(flag);
    else if (input.required) {
      flags.push(`${flag}=${input.choices?.[0] ?? value}`);
    }
  }
  return [...flags, "--nodes=10.0.0.2", "--", ...words];
}

const masked = new Set<string>();
const written = new Set<string>();

const sections = Map.groupBy(
  commands.filter(({ name }) => !elsewhere.test(name)),
  ({ name }) => name.includes(" ") ? name.slice(0, name.indexOf(" ")) : name[0],
);

for (const [section, some] of sections) {
  for (
    const [what, nodes] of [
      [
        "refuse",
        (signal: AbortSignal) => refusingNodes(`no:\n${said}`, signal),
      ],
      ["answer", (signal: AbortSignal) => talkingNodes(said, signal)],
    ] as const
  ) {
    Deno.test(`commands with ${section}: nodes that ${what} with markers are masked`, async () => {
      for (const { name, command } of some) {
        const formats = command.output === "own"
          ? [[]]
          : ["table", "json", "jsonl", "yaml", "jsonpath={@}"].map((format) => [
            `--output=${format}`,
          ]);
        for (const format of formats) {
          await withFolder({ file: planted.text }, async (folder) => {
            const line = lineOf(command, `${folder}/file`);
            const { out, err } = await run(
              [...name.split(" "), ...format, ...line],
              {},
              {
                open: ({ signal }) => nodes(signal),
                env: {
                  EDITOR: "true",
                  HOME: folder,
                  OS_HOME: folder,
                  OSCONFIG: `${folder}/osconfig`,
                },
                signal: AbortSignal.timeout(500),
              },
            );
            if ((out + err).includes("******")) masked.add(name);
            const shown = disclosed.commands.includes(name) ? err : out + err;
            assert.deepEqual(leaksIn(shown), [], `${name} ${format}`);
            for (const path of await filesBelow(folder)) {
              if (path === `${folder}/file`) continue;
              const text = await Deno.readTextFile(path);
              assert.deepEqual(leaksIn(text), [], `${name} wrote ${path}`);
              if (text.includes("******")) written.add(name);
            }
          });
        }
      }
    });
  }
}

Deno.test("most of these commands had something to mask, those with a journal also in files", () => {
  assert.ok(masked.size >= 40, `${masked.size}: ${[...masked].join(", ")}`);
  assert.ok(written.size >= 8, `${written.size}: ${[...written].join(", ")}`);
});
