/** Command and flag names of talosctl v1.12, v1.13 and v1.14: all are accepted. */

import assert from "node:assert/strict";
import { UsageError } from "../../errors.ts";
import { entries } from "../../commands/_index.ts";
import { findBetween, inputsWithin } from "../../commands/_kit/find.ts";
import { globals, helpFlag } from "../../commands/_kit/globals.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import {
  type AnyInputs,
  listFlags,
  parseValues,
  sortWords,
} from "../../commands/_kit/parse.ts";
import { run } from "../_run.ts";

const said = "its error says why";
const onThisMachine = "it works on this machine, where there is no namespace";

/** Names that osctl does not accept, and why. */
const never: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      ...["", " create dev", " create docker", " create qemu", " destroy"],
      ...[" logs", " reboot", " show"],
    ].map((name) => [`cluster${name} --remote-endpoint`, said]),
  ),
  "cluster sync": said,
  "remote-provision-launch": said,
  "cluster create dev --with-bgp": said,
  "cluster create dev --with-bgp-clos": said,
  "cluster create dev --with-siderolink": "its value follows an equals sign",
  "* --cluster": "it has no letter: -c is the configuration, or a check",
  "image cache-cert-gen --namespace": onThisMachine,
  "image cache-create --namespace": onThisMachine,
  "image cache-serve --namespace": onThisMachine,
};

const facts = await Deno.readTextFile(
  new URL("talosctl_names.txt", import.meta.url),
);

/** A flag of talosctl: `-f,--follow@13,14`, `--tail=`. */
interface FlagName {
  readonly long: string;
  readonly short?: string;
  readonly takesValue: boolean;
}

function parseFlag(text: string): FlagName {
  const [, short, long = "", value] = /^(?:(-.),)?(--[\w-]+)(=?)(?:@.*)?$/
    .exec(text) ?? [];
  assert.ok(long !== "", `"${text}" is no flag`);
  return { long, ...short && { short }, takesValue: value === "=" };
}

/** A command of talosctl. */
interface CommandName {
  readonly name: string;
  /** Other names, in full. */
  readonly aliases: readonly string[];
  readonly flags: readonly FlagName[];
}

function parseCommand(line: string): CommandName {
  const [, names = "", flags] =
    /^([^:@]+)(?:@[\d,]+)?:(?: (.*))?$/.exec(line) ??
      [];
  const [name = "", ...aliases] = names.split("|");
  const group = name.slice(0, name.lastIndexOf(" ") + 1);
  return {
    name,
    aliases: aliases.map((alias) => `${group}${alias}`),
    flags: flags?.split(" ").map(parseFlag) ?? [],
  };
}

/** Inputs of a command, or of all commands of a group; undefined if osctl has no such command. */
async function findInputs(name: string): Promise<AnyInputs | undefined> {
  try {
    const { entry, rest } = await findBetween(entries, name.split(" "), {});
    const file = await entry.load?.();
    if (file === undefined) {
      return Object.assign({}, ...await inputsWithin(entries, entry));
    }
    const inputs = allInputs(file.command, file);
    // The reference lists `completion bash` as a command, for osctl it is an argument.
    if (rest.length === 0) return inputs;
    const words = { flags: [], words: rest };
    await parseValues(inputs, words, () => Promise.reject(new Error("a file")));
    return inputs;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** True if the long name, the letter and the kind of value are those of one flag. */
function accepts(
  inputs: AnyInputs,
  { long, short, takesValue }: FlagName,
): boolean {
  const known = listFlags(globals, helpFlag, inputs);
  try {
    const { flags, words } = sortWords(
      [long, "1", ...short === undefined ? [] : [short, "1"]],
      known,
    );
    const isOne = flags.every(({ named }) =>
      named.flag === flags[0]?.named.flag
    );
    return isOne && (words.length === 0) === takesValue;
  } catch (error) {
    if (error instanceof UsageError) return false;
    throw error;
  }
}

Deno.test("osctl accepts every command and flag of talosctl v1.12 to v1.14 by name", async () => {
  const refused: string[] = [];
  const lines = facts.trimEnd().split("\n").filter((line) => line[0] !== "#");
  for (const { name, aliases, flags } of lines.map(parseCommand)) {
    const inputs = name === "*" ? {} : await findInputs(name);
    if (inputs === undefined) {
      refused.push(name);
      continue;
    }
    for (const flag of flags) {
      if (!accepts(inputs, flag)) refused.push(`${name} ${flag.long}`);
    }
    for (const alias of aliases) {
      if (await findInputs(alias) === undefined) refused.push(alias);
    }
  }
  assert.deepEqual(refused.toSorted(), Object.keys(never).toSorted());
});

Deno.test("an error says why osctl does not have a command or flag of talosctl", async () => {
  const remote =
    "osctl runs machines of this computer only; log in there and run osctl";
  const bgp = "osctl has no BGP speaker";
  const lines = {
    "cluster sync --name lab": `Cannot run "cluster sync": ${remote}`,
    "remote-provision-launch":
      `Cannot run "remote-provision-launch": ${remote}`,
    "cluster show --remote-endpoint x":
      `Cannot use --remote-endpoint: ${remote}`,
    "cluster create dev --with-bgp": `Cannot use --with-bgp: ${bgp}`,
    "cluster create dev --with-bgp-clos=true":
      `Cannot use --with-bgp-clos: ${bgp}`,
  };
  for (const [line, message] of Object.entries(lines)) {
    const { err, status } = await run(line);
    assert.equal(err.split("\n")[0], `error: ${message}`);
    assert.equal(status, 2);
  }
});
