import { patchText } from "../../config/patch.ts";
import { bytes, type Command, type Values, word } from "../_kit/mod.ts";
import {
  isStandardStream,
  outputFileFlag,
  writeOutput,
} from "../_kit/output_file.ts";
import { patchFlag, readPatches } from "../_configure/patches.ts";
import { readConfiguration } from "../_configure/source.ts";

const inputs = {
  file: word("configuration file to patch; - for standard input", {
    complete: "yaml",
    dash: true,
  }),
  patch: patchFlag("patch, or @file", { short: "p" }),
  output: outputFileFlag,
};

export const command = {
  summary: "Apply patches to a machine configuration",
  description:
    `A patch is a partial configuration that is merged into the file, or a list of JSON patch operations (RFC 6902).
Merging sets values, appends to lists and adds missing documents; "$patch: delete" removes a key, list element or
document, "$patch: replace" replaces it. An operation applies to the main document unless its key "document" gives the
kind, or kind/name, of another.

The result is formatted the way nodes do it; comments are kept. A file that does not change is printed unchanged.
Deletions of missing keys, appended lists and patches without effect are reported on standard error.`,
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
    // talosctl adds the trailing newline; files made from its output have it.
    const end = isStandardStream(output) ? "\n" : "";
    yield* writeOutput(output, patched.text + end);
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
