import { writeFileAtomic } from "../../config/files/atomic_file.ts";
import { patchText } from "../../config/patch.ts";
import {
  type AnyCommand,
  bytes,
  type Command,
  text,
  type Values,
  word,
} from "../_kit/mod.ts";
import {
  patchFlag,
  readConfiguration,
  readPatches,
} from "../_configure/patches.ts";

const inputs = {
  file: word('configuration to patch, "-" for standard input', {
    complete: "files",
  }),
  patch: patchFlag('patch, or "@" and the file it is in', { short: "p" }),
  output: text("file to write, instead of standard output", {
    short: "o",
    complete: "files",
  }),
};

/** `osctl machineconfig patch`: a machine configuration with patches applied. */
export const command: AnyCommand = {
  summary: "Apply patches to a machine configuration",
  description:
    `A patch is a partial configuration that is merged into the file, or a list of operations (RFC 6902). Values are set,
lists appended to, documents that are not there added. "$patch: delete" removes a key, an element of a list or a
document, "$patch: replace" replaces it. An operation is for the main document unless it has a key "document" with the
kind, or kind/name, of another.

The result has the layout nodes write; comments stay. Without a change the file comes out as it is. What was not there
to be deleted, lists that grew and patches that change nothing are said on standard error.`,
  inputs,
  examples: [
    "machineconfig patch controlplane.yaml -p @allow-scheduling.yaml -o cp1.yaml",
    `machineconfig patch worker.yaml -p '{"machine": {"network": {"hostname": "w1"}}}'`,
    `machineconfig patch worker.yaml -p '[{"op": "replace", "path": "/auto", "value": "off", "document": "HostnameConfig"}]'`,
  ],
  output: "own",
  view: bytes(),
  async *run(context) {
    const { input: { file, patch, output }, note } = context;
    const patches = await readPatches(patch, context);
    const source = await readConfiguration(file, context);
    const patched = patches.length === 0
      ? { text: source.text, notes: [] }
      : patchText(source.text, source.name, patches);
    for (const text of patched.notes) note(text);
    if (output !== undefined) await writeFileAtomic(output, patched.text);
    // The line at the end is what the peer adds; files made of its output have it.
    else yield new TextEncoder().encode(`${patched.text}\n`);
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
