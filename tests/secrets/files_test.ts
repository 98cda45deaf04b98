/** No command repeats what is secret in a file it reads, whatever is wrong with the file. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { isFile, listFormats, toFlag } from "./_output_flags.ts";
import { leaksIn, plant } from "./_planted_secrets.ts";

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

/** Commands that read files. */
const readers = new Set<string>();

/** Commands that begin processes. */
const elsewhere = /^cluster\b/;

for (const { name, load } of entries) {
  const command = (await load?.())?.command;
  if (command === undefined || elsewhere.test(name)) continue;
  const inputs: Readonly<Record<string, AnyInput<unknown>>> = allInputs(
    command,
  );
  const read = Object.entries(inputs).filter(([key, input]) =>
    isFile(input) &&
    !(written.test(key) && (input.role === "flag"
      ? key !== "file"
      : /write|written|to save/.test(input.summary)))
  );
  if (read.length === 0) continue;
  readers.add(name);
  Deno.test(`${name} repeats nothing of the files it reads`, () =>
    withFolder(files, async (folder) => {
      const formats = listFormats(command);
      // Each of them is used.
      assert.ok(formats.length <= Object.keys(files).length);
      for (const [key] of read) {
        for (const [index, file] of Object.keys(files).entries()) {
          const path = `${folder}/${file}`;
          const format = formats[index % formats.length];
          const line = [
            ...name.split(" "),
            ...format === undefined ? [] : [`--output=${format}`],
            ...commandLine(inputs, key, path),
          ];
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

Deno.test("doctor connect repeats nothing of a client configuration, in any format", () =>
  withFolder(files, async (folder) => {
    const doctor = entries.find(({ name }) => name === "doctor connect");
    const formats = listFormats(
      (await doctor?.load?.())?.command ?? assert.fail(),
    );
    for (const [index, file] of Object.keys(files).entries()) {
      const { out, err } = await run(
        [
          ...["doctor", "connect", `--osconfig=${folder}/${file}`],
          // Nothing listens there.
          ...["--endpoints=127.0.0.1:1", "--nodes=10.0.0.2"],
          `--output=${formats[index % formats.length]}`,
        ],
        {},
        { env: { HOME: folder, OS_HOME: folder } },
      );
      assert.deepEqual(leaksIn(out + err), [], file);
    }
  }));

Deno.test("commands that neither ask nodes nor read files here are these", () => {
  // All others are in commands_test.ts.
  const others = /^(cluster|doctor|gen|machineconfig gen|runbook|support)\b/;
  assert.deepEqual(
    entries.filter(({ name, load }) =>
      load !== undefined && others.test(name) && !readers.has(name)
    ).map(({ name }) => name),
    [
      // They make processes, and keep no configuration of others.
      // Patches are read as "gen config" reads them.
      ...["cluster create", "cluster create docker", "cluster create embedded"],
      ...["cluster create qemu", "cluster destroy", "cluster fault clear"],
      ...["cluster fault list", "cluster fault set"],
      ...["cluster logs", "cluster node power", "cluster reboot"],
      ...["cluster serve", "cluster show", "cluster start"],
      // Above.
      "doctor connect",
      // They make keys out of nothing.
      ...["gen ca", "gen key", "gen keypair"],
      ...["gen secureboot pcr", "gen secureboot uki"],
      // In every format in builtin_runs_test.ts.
      ...["runbook approve", "runbook events", "runbook explain", "runbook gc"],
      ...["runbook history", "runbook list", "runbook new", "runbook schema"],
      ...["runbook skip", "runbook status", "runbook stop", "runbook types"],
      "runbook watch",
    ],
  );
});

/** Words and flags that give one of the inputs a file, and all others what they need. */
function commandLine(
  inputs: Readonly<Record<string, AnyInput<unknown>>>,
  chosen: string,
  path: string,
): readonly string[] {
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const value = key === chosen ? path : isFile(input) ? path : "some";
    if (input.role === "argument") {
      if (input.least > 0 || key === chosen) words.push(value);
    } else if (key === chosen || input.required) {
      flags.push(`${toFlag(key)}=${/patch/i.test(key) ? "@" : ""}${value}`);
    }
  }
  return [...flags, "--nodes=10.0.0.2", "--", ...words];
}
