/** No command shows a value that is secret in a configuration it knows, whatever nodes say and in every format. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import type { AnyCommand } from "../../commands/_kit/command.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { exitStatus, RpcError } from "../../errors.ts";
import { loadDocuments } from "../../config/documents/load.ts";
import { logRaw } from "../../simulator/node/logs.ts";
import { withFolder } from "../_folder.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";
import { refusingNodes, talkingNodes } from "./_nodes.ts";
import {
  isFile,
  listFormats,
  listOutputFlags,
  toFlag,
} from "./_output_flags.ts";
import { isTried, unless, wanted } from "../_matrix.ts";
import { needs } from "../_needs.ts";
import {
  disclosed,
  filesBelow,
  leaksIn,
  makeLeaks,
  plant,
} from "./_planted_secrets.ts";

const planted = plant("commands");
// As if the process had read it.
loadDocuments(planted.text, "f");

/** Texts of nodes, in shares: each command line gets the next one; the matrix has all of them. */
const shares = chunk(
  [...planted.markers.values()],
  wanted === "all" ? 1 : 8,
).map(makeLeaks);

let lines = 0;

/** Every so-manyeth of the values. */
function chunk(values: readonly string[], count: number) {
  return Array.from(
    { length: count },
    (_, share) => values.filter((_, index) => index % count === share),
  );
}

const osconfig =
  `context: some\ncontexts: {some: {endpoints: [10.0.0.2], nodes: [10.0.0.2], auth: {basic: {username: u, password: pl4nt-basic}}}}\n`;

/** Files that hold what was given, or asked for. */
const asked: ReadonlySet<string> = new Set([
  "file",
  ...Object.keys(disclosed.files),
]);

const commands = await Promise.all(
  entries.filter(({ load }) => load !== undefined).map(async (entry) => {
    const loaded = await entry.load?.();
    assert.ok(loaded !== undefined);
    return { name: entry.name, command: loaded.command };
  }),
);

/** Commands that begin processes, dial by themselves, or ask no node. */
const elsewhere =
  /^(cluster|doctor|runbook|gen|machineconfig gen|site|support|image cache-serve)\b/;

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

const fitting: Readonly<Record<string, string>> = {
  key: "12",
  pod: "kube-system/some",
  what: "S8",
  version: "v1.12.11",
  "wipe lv name": "data/logs",
  "wipe md name": "/dev/md127",
  "wipe pv name": "/dev/sda1",
};

/** Words that a command line needs, and flags that end waiting. */
function commandLine(
  name: string,
  command: AnyCommand,
  file: string,
): string[] {
  const inputs: Readonly<Record<string, AnyInput<unknown>>> = allInputs(
    command,
  );
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const value = input.choices?.[0] ?? fitting[`${name} ${key}`] ??
      fitting[key] ?? (isFile(input) ? file : "some");
    const flag = toFlag(key);
    if (input.role === "argument") {
      if (input.most > 0) words.push(value);
    } else if (/^(waitTimeout|timeout)$/.test(key)) flags.push(`${flag}=20ms`);
    else if (key === "wait") flags.push(`${flag}=false`);
    else if (key === "yes" && input.type === "") flags.push(flag);
    else if (input.required) {
      flags.push(`${flag}=${value}`);
    }
  }
  if ("patchFile" in inputs) flags.push(`--patch-file=${file}`);
  return [...flags, "--nodes=10.0.0.2", "--", ...words];
}

/** Counts the lines with a switch. */
let withSwitch = 0;

/** Each format, and each other switch in one of them; in the matrix in all of them, of which each part tries its share. */
function listVariants(
  command: AnyCommand,
  answers: boolean,
): readonly (readonly string[])[] {
  const formats = listFormats(command).map((format) => [`--output=${format}`]);
  const bases = formats.length === 0 ? [[]] : formats;
  const all = wanted === "all";
  // Refusals are the same for all switches.
  const switches = answers || all ? listOutputFlags(command) : [];
  const others = switches.flatMap((one, index) =>
    (all ? bases : bases.slice(index % bases.length).slice(0, 1))
      .map((base) => [...base, one])
  ).filter(() => isTried(withSwitch++));
  return [...bases, ...others];
}

function discloses(name: string): boolean {
  return disclosed.commands.includes(name) && !disclosed.masking.includes(name);
}

const masked = new Set<string>();
const written = new Set<string>();
const begun = new Set<string>();

const sections = Map.groupBy(
  commands.filter(({ name }) => !elsewhere.test(name)),
  ({ name }) => name.includes(" ") ? name.slice(0, name.indexOf(" ")) : name[0],
);

for (const [section, some] of sections) {
  for (
    const [what, nodes] of [
      [
        "refuse",
        (said: string, signal: AbortSignal) =>
          refusingNodes(`no:\n${said}`, signal),
      ],
      ["answer", talkingNodes],
    ] as const
  ) {
    Deno.test(`commands with ${section}: nodes that ${what} with markers are masked`, async () => {
      for (const { name, command } of some) {
        for (const given of listVariants(command, what === "answer")) {
          await withFolder({ file: planted.text, osconfig }, async (folder) => {
            const line = commandLine(name, command, `${folder}/file`);
            const said = shares[lines++ % shares.length] ?? assert.fail();
            const { out, err, status } = await run(
              [...name.split(" "), ...given, ...line],
              {},
              {
                open: ({ signal }) => nodes(said, signal),
                env: {
                  EDITOR: "true",
                  HOME: folder,
                  OS_HOME: folder,
                  OSCONFIG: `${folder}/osconfig`,
                },
                signal: AbortSignal.timeout(500),
              },
            );
            if (status !== exitStatus.usage) begun.add(name);
            if ((out + err).includes("******")) masked.add(name);
            const shown = discloses(name) ? err : out + err;
            assert.deepEqual(leaksIn(shown), [], `${name} ${given}`);
            for (const path of await filesBelow(folder)) {
              if (asked.has(path.slice(folder.length + 1))) continue;
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

Deno.test({
  name:
    "all of these commands begin: none is refused for its command line, but where that has another reason",
  // A part of the matrix gives a command some of its switches, and not always one that it needs.
  ...needs(unless("all")),
  fn() {
    const refused = commands.map(({ name }) => name)
      .filter((name) => !elsewhere.test(name) && !begun.has(name));
    assert.deepEqual(refused, [
      // The file is no client configuration.
      "config merge",
      // The client has no certificate.
      "config new",
      "config renew",
      // There is no terminal.
      "dashboard",
      // It has no name or address to certify.
      "image cache-cert-gen",
      // There is no such page.
      "man",
      // There is no operation.
      "operation resume",
      // There is a configuration, which is wrong.
      "validate",
    ]);
  },
});

const quotes: readonly (readonly [quote: string, shown: RegExp])[] = [
  [
    "cannot be done\ndiff:\n--- a\n+++ b\n@@ -1 +1 @@\n token: pl4nt-a\n-    password: pl4nt-b\n",
    /cannot be done\\?n?\s+diff:\\?n?\s+\(redacted, 62 characters\)/,
  ],
  [
    "unknown keys found:\nmachine:\n    token: pl4nt-c\n    files:\n    - content: |\n        pl4nt-d\n",
    /machine:\\?n?\s+token: \(redacted, 7 characters\)/,
  ],
  [
    'cannot use &v1alpha1.Config{Token:"pl4nt-e"}',
    /cannot use &v1alpha1\.Config \(redacted, 17 characters\)/,
  ],
  ["token: pl4nt-f", /token: \(redacted, 7 characters\)/],
];

Deno.test("secrets: configuration quoted by a node is withheld from every role, also in files", () =>
  withFolder(
    { file: "machine: {type: worker}\n" },
    (given) =>
      withWire({ workers: 1 }, async ({ cluster, names, osconfig, osctl }) => {
        const [plane = "", worker = ""] = names;
        const envs = [{}];
        for (const role of ["os:operator", "os:reader"]) {
          const path = `${osconfig}.${role.slice(3)}`;
          const made = await osctl(
            `config new ${path} --roles ${role} -n ${plane}`,
          );
          assert.equal(made.status, 0, made.err);
          envs.push({ OSCONFIG: path });
        }
        const [first] = cluster.nodes;
        assert.ok(first);
        const [admin, operator, reader] = envs;
        const lines = [
          ["reboot --wait=false", admin, operator],
          ["shutdown --force", admin, operator],
          ["service kubelet restart", admin, operator],
          [
            `apply-config -f ${given}/file --validate=warn --allow cluster-change`,
            admin,
          ],
          ["patch mc -p {machine:{sysctls:{a:b}}}", admin],
          ["upgrade --image ghcr.io/some/installer:v1.12.11", admin],
          ["memory", admin, operator, reader],
          ["list /", admin, operator, reader],
        ] as const;
        // Nor of what it logs.
        for (const node of cluster.nodes) {
          logRaw(node, "kubelet: PASSWORD=pl4nt-h");
        }
        for (const format of ["table", "json"]) {
          const { out, err, status } = await osctl(
            `dmesg -n ${worker} -o ${format}`,
          );
          assert.equal(status, 0, err);
          assert.match(out, /PASSWORD=\(redacted, 7 characters\)/);
          assert.deepEqual(leaksIn(out + err), []);
        }
        for (const [quote, shown] of quotes) {
          first.cluster.onCall = ({ method, mutating }) => {
            if (mutating || /^(Memory|List)$/.test(method)) {
              throw new RpcError("INVALID_ARGUMENT", quote);
            }
          };
          // A line by itself goes the same way, so one command shows it.
          const isLine = quote.startsWith("token:");
          const asked = isLine ? lines.slice(0, 1) : lines;
          for (const [line, ...some] of asked) {
            for (const env of some) {
              const { out, err, status } = await osctl(
                `${line} -n ${worker} -o json`,
                { env: env ?? {} },
              );
              const said = `${line}: ${out}${err}`;
              assert.notEqual(status, 0, said);
              // A diff of what was sent is our own.
              const isOwn = /v1alpha1 changed/.test(said);
              assert.match(said, isOwn ? /diff:\\?n?\s+v1alpha1/ : shown);
              assert.deepEqual(leaksIn(said), []);
            }
          }
        }
        const files = await filesBelow(
          osconfig.slice(0, osconfig.lastIndexOf("/")),
        );
        for (const path of files) {
          assert.deepEqual(leaksIn(await Deno.readTextFile(path)), [], path);
        }
      }),
  ));
