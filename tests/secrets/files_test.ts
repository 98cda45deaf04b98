/** No command repeats what is secret in a file it reads, whatever is wrong with the file. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { leaksIn, plant } from "./_planted.ts";

const { text: configuration } = plant("files");
const pem =
  "-----BEGIN EC PRIVATE KEY-----\npl4ntInAKey0123456789\n-----END EC PRIVATE KEY-----\n";

/** Files that hold secrets, right and wrong. */
const files: Readonly<Record<string, string>> = {
  "configuration.yaml": configuration,
  "unclosed.yaml": `machine:\n  token: "pl4nt-unclosed\n  type: [worker\n`,
  "indented.yaml": "machine:\n    token: pl4nt-one\n  secret: pl4nt-two\n",
  "twice.yaml": "machine: {token: pl4nt-one, token: pl4nt-two}\n",
  "shapes.yaml":
    "machine: {token: [pl4nt-in-list], ca: pl4nt-no-map, files: {pl4nt: 1}}\n",
  "bundle.yaml": `cluster: {id: a, secret: pl4nt-cluster}
secrets: {bootstraptoken: pl4nt-boot, secretboxencryptionsecret: pl4nt-box}
trustdinfo: {token: pl4nt-trust}
certs: {os: {crt: pl4nt+crt, key: pl4nt+key}, etcd: {key: ${btoa(pem)}}}
`,
  "osconfig": `context: a
contexts:
  a: {endpoints: [10.0.0.2], ca: pl4nt+ca, crt: pl4nt+crt, key: ${btoa(pem)},
      auth: {basic: {username: u, password: pl4nt-password}}}
`,
  "kubeconfig":
    `apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: pl4nt-token, client-key-data: ${
      btoa(pem)
    }}}]\n`,
  "patch.json":
    `[{"op": "test", "path": "/machine/token", "value": "pl4nt-value"}, {"op": "pl4nt"}]`,
  "key.pem": pem,
  "bytes": "pl4nt-\0-\x01-bytes",
};

/** Files that are written. */
const written =
  /^(output|outputDir|outputFile|eventsFile|junit|report|state|path|file|target)$/;

/** Commands that begin processes. */
const elsewhere = /^cluster\b/;

for (const { name, load } of entries) {
  const command = (await load?.())?.command;
  if (command === undefined || elsewhere.test(name)) continue;
  const inputs: Readonly<Record<string, AnyInput<unknown>>> = allInputs(
    command,
  );
  const read = Object.entries(inputs).filter((
    [key, { complete, role, summary }],
  ) =>
    complete === "files" &&
    !(written.test(key) && (role === "flag"
      ? key !== "file"
      : /write|written|to save/.test(summary)))
  );
  if (read.length === 0) continue;
  Deno.test(`${name} repeats nothing of the files it reads`, () =>
    withFolder(files, async (folder) => {
      for (const [key] of read) {
        for (const file of Object.keys(files)) {
          const path = `${folder}/${file}`;
          const line = lineOf(name, inputs, key, path);
          const { out, err } = await run(line, {}, {
            open: () => {
              throw new TypeError("No node is asked here");
            },
            env: {
              HOME: folder,
              OS_HOME: folder,
              OSCONFIG: `${folder}/osconfig`,
            },
          });
          const isData: boolean = command.discloses !== undefined ||
            typeof command.view === "object" && command.view.kind === "bytes";
          assert.deepEqual(
            leaksIn(isData ? err : out + err),
            [],
            `${key} ${file}`,
          );
        }
      }
    }));
}

/** A line that gives one of the inputs a file, and all others what they need. */
function lineOf(
  name: string,
  inputs: Readonly<Record<string, AnyInput<unknown>>>,
  chosen: string,
  path: string,
): readonly string[] {
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const dashed = key.replace(
      /[A-Z]/g,
      (letter) => `-${letter.toLowerCase()}`,
    );
    const value = key === chosen
      ? path
      : input.complete === "files"
      ? path
      : "some";
    if (input.role === "argument") {
      if (input.least > 0 || key === chosen) words.push(value);
    } else if (key === chosen || input.required) {
      flags.push(`--${dashed}=${/patch/i.test(key) ? "@" : ""}${value}`);
    }
  }
  return [...name.split(" "), ...flags, "--nodes=10.0.0.2", "--", ...words];
}
