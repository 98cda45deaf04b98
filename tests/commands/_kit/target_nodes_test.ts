import assert from "node:assert/strict";
import { entries } from "../../../commands/_index.ts";
import type {
  CommandFile,
  IndexEntry,
} from "../../../commands/_kit/command.ts";
import { allInputs } from "../../../commands/_kit/main.ts";
import {
  listFlags,
  parseValues,
  sortWords,
} from "../../../commands/_kit/parse.ts";
import { globals } from "../../../commands/_kit/globals.ts";
import {
  asksForCluster,
  findOperation,
  targetHelp,
} from "../../../commands/_kit/target_nodes.ts";
import type { AnyOperation } from "../../../workflows/operations/operation.ts";
import type { FakeNodes } from "../../_fake.ts";
import { run, type RunOptions } from "../../_run.ts";

/** A command that changes nodes, with command lines that do so and name none. */
interface Changing {
  readonly entry: IndexEntry;
  readonly file: CommandFile;
  readonly operation: AnyOperation;
  readonly lines: readonly (readonly string[])[];
}

/** Every command whose file declares an operation, with its examples. */
async function changingCommands(): Promise<readonly Changing[]> {
  const found: Changing[] = [];
  for (const entry of entries) {
    const file = await entry.load?.();
    const operation = file?.change?.operation;
    if (file === undefined || operation === undefined) continue;
    const lines: (readonly string[])[] = [];
    for (const example of file.command.examples ?? []) {
      const words = splitWords(example);
      if (words.includes("--insecure")) continue;
      if (await ask(entry, file, words) === undefined) continue;
      assert.ok(
        operation.member !== undefined || words.some(isNodes),
        `The example names no node: ${example}`,
      );
      lines.push(withoutNodes(words));
    }
    assert.notDeepEqual(lines, [], `${entry.name} has no example that changes`);
    found.push({ entry, file, operation, lines });
  }
  return found;
}

async function ask(
  { name }: IndexEntry,
  file: CommandFile,
  words: readonly string[],
): Promise<AnyOperation | undefined> {
  const inputs = allInputs(file.command, file);
  const rest = words.slice(name.split(" ").length);
  const sorted = sortWords(rest, listFlags(globals, inputs));
  return findOperation(
    file,
    await parseValues(inputs, sorted, () => Promise.resolve("")),
  );
}

function splitWords(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) =>
    quoted ?? word
  );
}

function isNodes(word: string): boolean {
  return word === "--nodes" || word === "-n";
}

function withoutNodes(words: readonly string[]): readonly string[] {
  return words.filter((word, i) =>
    !isNodes(word) && !isNodes(words[i - 1] ?? "")
  );
}

const changing = await changingCommands();

/** Two default nodes that must not be asked for anything. */
const untouched = { a: {}, b: {} };

/** A worker and a control plane, which say no more than that. */
function choosable(): FakeNodes {
  const node = (machineType: string) => ({
    version: () => ({ messages: [{}] }),
    get: () => ({ resource: { spec: { yamlSpec: machineType } } }),
  });
  return { a: node("worker"), b: node("controlplane") };
}

Deno.test("every command that changes nodes refuses the default nodes of the context where there is no terminal to ask on", async () => {
  assert.ok(changing.length >= 25, `${changing.length}`);
  for (const { file, operation, lines } of changing) {
    // Operations on etcd members name the member instead.
    if (operation.member !== undefined) continue;
    for (const line of lines) {
      const { oneNode } = file.change ?? {};
      const nodes = oneNode === "any" ? choosable() : untouched;
      const { out, err, status } = await run(line, nodes);
      const text = line.join(" ");
      assert.equal(out, "", text);
      if (oneNode === "any") {
        assert.match(
          err,
          /^Using control plane b; choose another with --nodes\nerror: "[a-z -]+" does not run on the default nodes of the context\nhint: Type: osctl .* --nodes b\n$/,
        );
        assert.equal(status, 5, text);
        continue;
      }
      if (oneNode) {
        assert.match(err, /^error: Command "[a-z -]+" takes one node, 2 are/);
        assert.equal(status, 2, text);
        continue;
      }
      assert.match(
        err,
        /^error: "[a-z -]+" does not run on the default nodes of the context\nhint: Name the nodes: --nodes a, or @workers, @all\n$/,
      );
      assert.equal(status, 5, text);
    }
  }
});

Deno.test("the command to type does not repeat patches, which may hold secrets", async () => {
  for (
    const patch of [
      "{machine: {token: s3cret}}",
      "machine:\n  token: s3cret",
      "token: s3cret",
    ]
  ) {
    const { err, status } = await run(["patch", "mc", "-p", patch], { a: {} });
    assert.equal(status, 5);
    assert.equal(
      err,
      'error: "patch" does not run on the default nodes of the context\nhint: Add to the command: --nodes a\n',
    );
  }
});

Deno.test("--yes answers for default nodes, but not for what is lost with them", async () => {
  for (const { file, operation, lines } of changing) {
    if (operation.member !== undefined || file.change?.oneNode) continue;
    const [line = []] = lines;
    const { err } = await ran([...line, "--yes"]);
    const isRefused = err.includes("does not run on the default nodes");
    assert.equal(isRefused, asksForCluster(operation), line.join(" "));
  }
});

Deno.test("named nodes, a dry run and OSCTL_COMPAT=peer are not asked about", async () => {
  const refusal = /default nodes of the context|^NODE +ROLE$/m;
  for (const { entry, file, lines } of changing) {
    const [line = []] = lines;
    const { err } = await ran([...line, "--nodes", "a"]);
    assert.doesNotMatch(err, refusal, entry.name);
    const peer = await ran(line, { env: { OSCTL_COMPAT: "peer" } });
    assert.doesNotMatch(peer.err, refusal, entry.name);
    if (!("dryRun" in file.command.inputs)) continue;
    const dry = await ran([...line, "--dry-run"]);
    assert.doesNotMatch(dry.err, refusal, entry.name);
  }
});

/** Runs a line against nodes that answer nothing, which ends it behind the question. */
function ran(line: readonly string[], options: RunOptions = {}) {
  const silent = new Proxy({}, { has: () => true, ownKeys: () => [] });
  return run(line, { a: silent, b: silent, "": silent }, options);
}

Deno.test("the help of every command that changes nodes says its default nodes and its batch", async () => {
  for (const { entry, file } of changing) {
    const { out } = await run(`${entry.name} --help`);
    for (const [heading, text] of targetHelp(file)) {
      assert.ok(out.includes(`  ${heading}   `), entry.name);
      assert.ok(out.includes(text), entry.name);
    }
    assert.match(out, /^Nodes:\n {2}Default {3}\S.*\n {2}Batch {5}\S/m);
    assert.match(out, /^ {2}-y, --yes /m);
  }
  const { out } = await run("memory --help");
  assert.doesNotMatch(out, /^Nodes:/m);
});

/** Methods of nodes that change something. */
const mutating =
  /\b(?:machine|image|storage|state|client)\.(?:update|create|destroy|applyConfiguration|reboot|reset|shutdown|upgrade|rollback|bootstrap|restart|service(?:Start|Stop|Restart)|meta(?:Write|Delete)|etcd(?:Recover|Leave|Remove|Forfeit|Defrag|AlarmDisarm|Downgrade(?:Enable|Cancel))\w*|pull|imagePull|blockDeviceWipe)\(|\bsendConfiguration\(/;

async function* sourcesBelow(folder: URL): AsyncGenerator<URL> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sourcesBelow(new URL(`${name}/`, folder));
    else yield new URL(name, folder);
  }
}

Deno.test("no command changes a node but by its operation", async () => {
  const root = new URL("../../../commands/", import.meta.url);
  const found: string[] = [];
  for await (const file of sourcesBelow(root)) {
    const isFound = mutating.test(await Deno.readTextFile(file));
    if (isFound) found.push(file.href.slice(root.href.length));
  }
  assert.deepEqual(found.sort(), [
    // Behind commands that export their operations: what a resource other than the configuration is given.
    "_configure/update_resource.ts",
    // First configurations of the machines that `cluster create` makes.
    "cluster/_start_cluster.ts",
  ]);
});
