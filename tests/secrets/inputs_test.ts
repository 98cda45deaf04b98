/** No command repeats a secret that it was given, by whichever of its inputs, variables or streams. */

import assert from "node:assert/strict";
import { entries } from "../../commands/_index.ts";
import { globals } from "../../commands/_kit/globals.ts";
import type { AnyInput } from "../../commands/_kit/inputs.ts";
import { allInputs } from "../../commands/_kit/main.ts";
import { serviceAccountVariables } from "../../talos.ts";
import { sources } from "../../tools/sources.ts";
import { runbook } from "../commands/runbook/_home.ts";
import { withFolder } from "../_folder.ts";
import { run, type RunOptions } from "../_run.ts";
import { refusingNodes } from "./_nodes.ts";
import { filesBelow, leaksIn, plantedVariables } from "./_planted_secrets.ts";
import { isFile, toFlag } from "./_output_flags.ts";

type Inputs = Readonly<Record<string, AnyInput<unknown>>>;

const commands = await Promise.all(
  entries.filter(({ load }) => load !== undefined).map(
    async ({ name, load }) => {
      const file = await load?.() ?? assert.fail(name);
      const { command } = file;
      const inputs: Inputs = { ...globals, ...allInputs(command, file) };
      const isData = command.discloses !== undefined ||
        typeof command.view === "object" && command.view.kind === "bytes";
      return { name, inputs, isData };
    },
  ),
);

/** Commands that begin processes, take a terminal, or ask nodes and servers by themselves. */
const elsewhere = /^(cluster|dashboard|doctor connect|image cache-create)\b/;

/** Commands that make keys, which takes seconds, unless what they are given is wrong. */
const makesKeys = /^(gen|machineconfig gen|site init)\b/;

function isText(input: AnyInput<unknown>): boolean {
  if (input.choices !== undefined) return false;
  return input.role === "argument"
    ? input.most > 0
    : !/^(|int|duration|time|size)$/.test(input.type);
}

/** A command line in which one input has a value, and others have what they need. */
function commandLine(
  { name, inputs }: typeof commands[number],
  chosen: string,
  value: string,
): readonly string[] {
  const flags: string[] = [];
  const words: string[] = [];
  for (const [key, input] of Object.entries(inputs)) {
    const fitting = input.complete === "runbooks" ? "book.yaml" : "some";
    const own = key === chosen ? value : input.choices?.[0] ?? fitting;
    if (input.role === "argument") {
      if (input.least > 0 || key === chosen) words.push(own);
    } else if (key === chosen || input.required) {
      flags.push(`${toFlag(key)}=${own}`);
    } else if (/^(waitTimeout|timeout)$/.test(key)) {
      flags.push(`${toFlag(key)}=20ms`);
    }
  }
  const nodes = chosen === "nodes" ? [] : ["--nodes=10.0.0.2"];
  return [...name.split(" "), ...flags, ...nodes, "--", ...words];
}

/** Files that lines are given. */
const files = {
  "book.yaml": runbook(
    "  - { id: rest, sleep: 1s }\n",
    "inputs: { key: { type: secret, required: true } }\n",
  ),
};

/** Runs a line in a folder of its own. Returns what of it is repeated. */
async function repeat(
  line: readonly string[],
  { isData = false, ...options }: RunOptions & { isData?: boolean } = {},
): Promise<readonly string[]> {
  const found: string[] = [];
  await withFolder(files, async (folder) => {
    const cwd = Deno.cwd();
    Deno.chdir(folder);
    const { out, err } = await run(line, {}, {
      open: ({ signal }) => refusingNodes("no", signal),
      signal: AbortSignal.timeout(200),
      env: { ...plantedVariables, HOME: folder, OS_HOME: folder },
      ...options,
    }).finally(() => Deno.chdir(cwd));
    found.push(...leaksIn(isData ? err : out + err));
    for (const path of await filesBelow(folder)) {
      // An interrupted operation is resumed with what it was given.
      if (path.includes("/operations/")) continue;
      found.push(...leaksIn(await Deno.readTextFile(path)));
    }
  });
  return found;
}

/** Whose value is a secret by itself: by its name, by its declaration, and what `meta write` writes. */
function isSecret(key: string, input: AnyInput<unknown>): boolean {
  return input.role === "flag" && input.secret === true ||
    /^value$|secret|token|passphrase|password/i.test(key) && !isFile(input);
}

Deno.test("no command repeats the password of a URL, whichever input it is given as, nor what is in its variables", async () => {
  let count = 0;
  for (const command of commands) {
    if (elsewhere.test(command.name) || makesKeys.test(command.name)) continue;
    for (const [key, input] of Object.entries(command.inputs)) {
      // Those of all commands are tried with one.
      if (key in globals && command.name !== "memory") continue;
      if (!isText(input)) continue;
      count++;
      const url = "https://user:pl4nt-password@10.0.0.9:1/x";
      // The line itself makes a file of this name.
      if (/^(runbook new|config new)$/.test(command.name)) continue;
      const line = commandLine(command, key, url);
      assert.deepEqual(await repeat(line), [], line.join(" "));
    }
  }
  assert.ok(count > 250, `${count}`);
});

Deno.test("no command repeats what is a secret by its name, or by its declaration, nor a patch", async () => {
  const tried = new Set<string>();
  for (const command of commands) {
    if (elsewhere.test(command.name)) continue;
    for (const [key, input] of Object.entries(command.inputs)) {
      const isPatch = /patch/i.test(key) && input.role === "flag" &&
        input.type === "stringArray";
      if (!isPatch && !(isSecret(key, input) && isText(input))) continue;
      tried.add(key);
      for (
        const value of isPatch
          ? [
            "machine: {token: [pl4nt-in-list]}",
            "machine: {token: pl4nt-unclosed",
            '[{"op": "test", "path": "/machine/token", "value": "pl4nt-value"}]',
          ]
          : ["pl4nt", "name=pl4nt", "pl4nt:pl4nt", "pl4nt pl4nt"]
      ) {
        const line = commandLine(command, key, value);
        assert.deepEqual(await repeat(line), [], line.join(" "));
      }
    }
  }
  assert.deepEqual(
    tried,
    new Set([
      ...["configPatch", "patch", "configPatchControlPlane"],
      ...["configPatchWorker", "kubernetesBootstrapToken", "value", "secret"],
    ]),
  );
});

Deno.test("no command repeats what it reads from standard input", async () => {
  const tried: string[] = [];
  for (const command of commands) {
    for (const [key, input] of Object.entries(command.inputs)) {
      if (!/- for standard input/.test(input.summary)) continue;
      // Names of images are none.
      if (key === "images" || key === "imageList") continue;
      tried.push(`${command.name} ${key}`);
      for (
        const stdin of [
          `machine: {token: pl4nt-token, ca: pl4nt-no-map}\n`,
          `machine:\n  token: "pl4nt-unclosed\n  type: [worker\n`,
          "pl4nt-\0-\x01-bytes",
        ]
      ) {
        const line = commandLine(command, key, "-");
        const found = await repeat(line, {
          stdin,
          isData: command.isData,
        });
        assert.deepEqual(found, [], `${line.join(" ")}: ${stdin}`);
      }
    }
  }
  assert.deepEqual(tried, [
    "apply-config file",
    "config merge from",
    "gen secrets fromControlplaneConfig",
    "inject serviceaccount file",
    "machineconfig diff from",
    "machineconfig patch file",
    "validate files",
  ]);
});

Deno.test("variables that hold secrets are known here", async () => {
  const found = new Set<string>(serviceAccountVariables);
  for (const { text } of await sources(new URL("../../", import.meta.url))) {
    const read = text.matchAll(/\b(?:env|variable)\(\s*"(\w+)"/g);
    for (const [, name = ""] of read) found.add(name);
  }
  // They name programs, folders, terminals and users, or turn something on.
  const shown =
    /^(APPDATA|COLORTERM|DOCKER_(CERT_PATH|CONFIG|CONTEXT|HOST|TLS_VERIFY)|(OS_)?EDITOR|(OS_)?HOME|KUBECONFIG|LOGNAME|NO_COLOR|NO_PROXY|no_proxy|OSCONFIG|OSCTL_COMPAT|OSCTL_ETCD|OSCTL_LEASE_DURATION|OSCTL_RUN|OSCTL_TEST_UNPRIVILEGED|(OSCTL_)?PAGER|OSV1_KEYS_DIR|PATH|SOPS_AGE_(SSH_PRIVATE_)?KEY_(CMD|FILE)|SUDO_[GU]ID|TAG|TERM|USER(NAME|PROFILE)?|VISUAL|XDG_(CONFIG_HOME|RUNTIME_DIR))$/;
  assert.deepEqual(
    [...found].filter((name) => !shown.test(name)).toSorted(),
    Object.keys(plantedVariables).toSorted(),
  );
});
