/**
 * Checks osctl on a real cluster, and reports deviations: `deno task conformance --osconfig FILE --nodes NODE,…
 * [--disruptive --worker NODE] [REPORT]`.
 *
 * Read-only, unless `--disruptive` is given: then one worker is rebooted and tries a configuration, and an etcd
 * snapshot is taken.
 */

import { parseArgs } from "node:util";
import { entries } from "../../commands/_index.ts";
import type { IndexEntry } from "../../commands/_kit/command.ts";
import { domain } from "../../talos.ts";
import { parseSpec } from "../../transport/node/resource_yaml.ts";
import { ConfigError, exitStatus, UsageError } from "../../errors.ts";
import { type ReadCommand, readCommands } from "./read_commands.ts";
import { mask } from "./record.ts";
import {
  type Answer,
  isStream,
  osctlWith,
  type RunOsctl,
} from "./run_osctl.ts";
import { runTool } from "../run_tool.ts";
import { toShape } from "./shape.ts";

/** A deviation from the expected behavior. */
export interface Deviation {
  /** Check: one or two command lines. */
  readonly check: string;
  /** Problem; empty if there is none. */
  readonly problem: string;
}

/** Options of a conformance run. */
export interface ConformanceOptions {
  readonly osctl: RunOsctl;
  /** Nodes to check, including at least one control plane. */
  readonly nodes: readonly string[];
  /** Worker that may be rebooted; omitted, the run is read-only. */
  readonly worker?: string | undefined;
  /** Target file of an etcd snapshot. */
  readonly snapshot?: string;
  /** Commands; default all of osctl. */
  readonly entries?: readonly IndexEntry[];
}

type Row = Readonly<Record<string, unknown>>;

/** Runs every read command in every format, then checks that commands agree. */
export async function* conformance(
  options: ConformanceOptions,
): AsyncGenerator<Deviation> {
  const { osctl, nodes, worker, snapshot } = options;
  const readRows = async (line: string, at = nodes) => {
    const { out } = await osctl(...on(line, at), "--output", "jsonl");
    // A failed node is a row, too.
    return (jsonlRows(out) as Row[])
      .filter(({ error }) => error === undefined);
  };
  const types = await readRows("get machinetype");
  const controlPlanes = types.filter(({ spec }) => spec === "controlplane")
    .map(({ node }) => String(node));
  const asked = {
    all: nodes,
    controlplanes: controlPlanes,
    one: [...controlPlanes, ...nodes].slice(0, 1),
    none: [],
  };
  for (const command of await readCommands(options.entries ?? entries)) {
    const at = asked[command.asks];
    if (at.length === 0 && command.asks !== "none") continue;
    yield* runCase(osctl, command, at);
  }
  const first = asked.one;
  for (const id of (await readRows("get rd", first)).map(rowId)) {
    const { err, status } = await osctl(
      ...on(`get ${id}`, first),
      "--output",
      "jsonl",
    );
    yield {
      check: `osctl get ${id}`,
      problem: status === 0 ? "" : formatEnd({ err, status }),
    };
  }
  yield* agreements(readRows, controlPlanes);
  if (worker !== undefined) {
    yield* changes(osctl, { worker, controlPlanes, snapshot });
  }
}

function on(line: string, at: readonly string[]): readonly string[] {
  const words = line.split(" ");
  return at.length === 0 ? words : [...words, "--nodes", at.join()];
}

/** Runs a command in every format, and as a stream. */
async function* runCase(
  osctl: RunOsctl,
  { line, rows, stream }: ReadCommand,
  at: readonly string[],
): AsyncGenerator<Deviation> {
  let isEmpty = false;
  if (rows) isEmpty = yield* formats(osctl, { line, at });
  else yield await checkOutput(osctl, { line, at });
  // An empty stream prints nothing.
  if (stream && !isEmpty) {
    yield await checkOutput(osctl, {
      line: `${line} ${stream}`,
      at: at.slice(0, 1),
    });
  }
}

interface TriedLine {
  readonly line: string;
  readonly at: readonly string[];
}

/** Expects text, bytes or the start of a stream. */
async function checkOutput(
  osctl: RunOsctl,
  { line, at }: TriedLine,
): Promise<Deviation> {
  const answer = await osctl(...on(line, at));
  const problem = isGood(line, answer)
    ? answer.out === "" ? "no output" : ""
    : formatEnd(answer);
  return { check: `osctl ${line}`, problem };
}

function isGood(line: string, { status }: Answer): boolean {
  return status === 0 || status === 130 && isStream(line.split(" "));
}

/** Expects the same rows in every format. Returns whether there are none. */
async function* formats(
  osctl: RunOsctl,
  { line, at }: TriedLine,
): AsyncGenerator<Deviation, boolean> {
  const words = on(line, at);
  const shapes: string[] = [];
  let path = "";
  for (
    const format of ["jsonl", "json", "yaml", "table", "jsonpath"] as const
  ) {
    if (format === "jsonpath" && path === "") continue;
    const asked = format === "jsonpath" ? `jsonpath={.${path}}` : format;
    const answer = await osctl(...words, "--output", asked);
    const { out } = answer;
    const check = `osctl ${line} -o ${asked}`;
    if (!isGood(line, answer)) {
      yield { check, problem: formatEnd(answer) };
      continue;
    }
    try {
      if (format === "table" || format === "jsonpath") {
        const isEmpty = shapes[0] === "[]";
        yield { check, problem: out === "" && !isEmpty ? "no output" : "" };
        continue;
      }
      const rows = readers[format](out);
      path ||= Object.keys(rows[0] as object ?? {})[0] ?? "";
      const shape = toShape(rows);
      shapes.push(JSON.stringify(Object.keys(shape).sort()));
      const same = shapes.at(-1) === shapes[0];
      yield { check, problem: same ? "" : "has other keys than jsonl" };
    } catch (error) {
      yield { check, problem: `cannot be read: ${(error as Error).message}` };
    }
  }
  return shapes[0] === "[]";
}

const readers: Readonly<
  Record<"jsonl" | "json" | "yaml", (out: string) => readonly unknown[]>
> = {
  jsonl: jsonlRows,
  json: (out) =>
    out.trim().split(/\n(?=\{)/).filter(Boolean).map((row) => JSON.parse(row)),
  yaml: (out) =>
    out.split(/^---\n/m).filter((part) => part.trim() !== "").map(parseSpec),
};

function jsonlRows(out: string): readonly unknown[] {
  return out.split("\n").filter(Boolean).map((row) => JSON.parse(row));
}

async function* agreements(
  takeRows: (line: string, at?: readonly string[]) => Promise<readonly Row[]>,
  controlPlanes: readonly string[],
): AsyncGenerator<Deviation> {
  const pairs = (rows: readonly Row[], field: (row: Row) => unknown) =>
    rows.filter(({ node }) => node !== undefined)
      .map((row) => `${row.node} ${field(row)}`).sort().join("\n");
  const spec = (row: Row) => row.spec as Row;
  const compare = (check: string, one: string, other: string): Deviation => ({
    check,
    problem: one === other ? "" : `${one} is not\n${other}`,
  });
  const isTyped = new Set(
    (await takeRows(`get rd versions.runtime.${domain}`)).map(({ node }) =>
      node
    ),
  );
  if (isTyped.size > 0) {
    const versions = await takeRows("version");
    yield compare(
      "osctl version and get version",
      pairs(versions.filter(({ node }) => isTyped.has(node)), ({ tag }) => tag),
      pairs(await takeRows("get version"), (row) => spec(row).version),
    );
  }
  const services = await takeRows("service");
  yield compare(
    "osctl service and get services",
    pairs(services.filter(({ state }) => state === "Running"), ({ id }) => id),
    pairs(await takeRows("get services"), (row) => rowId(row)),
  );
  yield compare(
    "osctl disks and get disks",
    pairs(
      await takeRows("disks"),
      ({ device }) => String(device).replace("/dev/", ""),
    ),
    pairs(await takeRows("get disks"), (row) => rowId(row)),
  );
  const late = (await takeRows("time")).filter(({ nodeTime }) =>
    Math.abs(Date.parse(String(nodeTime)) - Date.now()) > 60_000
  );
  yield {
    check: "osctl time and the clock of this machine",
    problem: late.map(({ node }) => `${node} is more than a minute off`).join(),
  };
  if (controlPlanes.length === 0) return;
  const [first = ""] = controlPlanes;
  const members = await takeRows("etcd members", [first]);
  const found = await takeRows("get members", [first]);
  const status = await takeRows("etcd status", controlPlanes);
  const names = (rows: readonly unknown[]) => rows.map(String).sort().join();
  const asked = new Set(status.map(({ member }) => member));
  // Members on other nodes are unknown.
  const isKnown = ({ id }: Row) =>
    asked.size >= members.length || asked.has(id);
  yield compare(
    "osctl etcd members and etcd status",
    names(members.filter(isKnown).map(({ id }) => id)),
    names([...asked]),
  );
  // Without discovery, no node is listed.
  if (found.length === 0) return;
  yield compare(
    "osctl etcd members and get members",
    names(members.map(({ hostname }) => hostname)),
    names(
      found.filter((row) => spec(row).machineType === "controlplane")
        .map((row) => spec(row).hostname),
    ),
  );
}

async function* changes(
  osctl: RunOsctl,
  { worker, controlPlanes, snapshot }: {
    readonly worker: string;
    readonly controlPlanes: readonly string[];
    readonly snapshot: string | undefined;
  },
): AsyncGenerator<Deviation> {
  const patch = '{"machine": {"sysctls": {"vm.swappiness": "59"}}}';
  const tried = ["--mode", "try", "--timeout", "10s", "--no-confirm", "--yes"];
  const lines = [
    ["reboot", "--nodes", worker, "--yes"],
    ["patch", "machineconfig", "--nodes", worker, "-p", patch, ...tried],
    ...(snapshot === undefined
      ? []
      : controlPlanes.slice(0, 1).flatMap((node) => [
        ["etcd", "snapshot", snapshot, "--nodes", node],
        ["etcd", "snapshot", "verify", snapshot],
      ])),
  ];
  for (const line of lines) {
    const { err, status } = await osctl(...line);
    yield {
      check: `osctl ${line.slice(0, 2).join(" ")}`,
      problem: status === 0 ? "" : formatEnd({ err, status }),
    };
  }
}

function rowId({ metadata }: Row): string {
  return String((metadata as Row).id);
}

function formatEnd({ err, status }: Pick<Answer, "err" | "status">): string {
  return `status ${status}: ${err.trim().split("\n")[0]}`;
}

/**
 * Formats a report, Markdown: deviations, then all checks.
 *
 * @param tags Version of each node.
 */
export function formatReport(
  findings: readonly Deviation[],
  { version, tags, date }: {
    readonly version: string;
    readonly tags: readonly string[];
    readonly date: Date;
  },
): string {
  const wrong = findings.filter(({ problem }) => problem !== "");
  const lines = wrong.map(({ check, problem }) =>
    `- \`${check}\`: ${String(mask(problem)).replaceAll("\n", "\n  ")}\n`
  );
  const asked = [...Map.groupBy(tags, (tag) => tag)]
    .map(([tag, { length }]) => `${length} of ${tag}`).join(", ");
  return [
    `# Conformance of osctl ${version}\n`,
    `- Date: ${date.toISOString().slice(0, 10)}`,
    `- Nodes: ${asked}`,
    `- Checks: ${findings.length}`,
    `- Problems: ${wrong.length}\n`,
    ...lines.length === 0 ? [] : ["## Problems\n", lines.join("")],
    "## Checks\n",
    ...findings.map(({ check }) => `- \`${check}\``),
    "",
  ].join("\n");
}

const usage =
  "deno task conformance [--osconfig FILE] --nodes LIST [--disruptive --worker NODE] [REPORT]";

if (import.meta.main) await runTool(usage, main);

async function main(): Promise<{ readonly hasProblems: boolean }> {
  const { values, positionals } = parseArgs({
    args: Deno.args,
    allowPositionals: true,
    options: {
      osconfig: { type: "string" },
      nodes: { type: "string" },
      disruptive: { type: "boolean" },
      worker: { type: "string" },
    },
  });
  const { osconfig, nodes, disruptive = false, worker } = values;
  if (nodes === undefined) throw new UsageError("Give nodes with --nodes");
  if (disruptive !== (worker !== undefined)) {
    throw new UsageError(
      "Give --disruptive and the one --worker it may reboot",
    );
  }
  const tried = await osctlWith(osconfig)(
    ...on("version", nodes.split(",")),
    "--output",
    "jsonl",
  );
  if (tried.status === exitStatus.usage) {
    // Every check would fail with the same error.
    throw new ConfigError(tried.err.trim().replace(/^error: /, ""));
  }
  const tags = (jsonlRows(tried.out) as Row[])
    // The client has a row, too.
    .filter(({ node }) => node !== undefined)
    .map(({ tag }) => tag === undefined ? "unknown version" : String(tag));
  const [path = "conformance.md"] = positionals;
  const findings: Deviation[] = [];
  const say = (text: string) =>
    Deno.stdout.write(new TextEncoder().encode(`${text}\n`));
  for await (
    const finding of conformance({
      osctl: osctlWith(osconfig),
      nodes: nodes.split(","),
      worker,
      snapshot: `${path}.snapshot`,
    })
  ) {
    findings.push(finding);
    const { check, problem } = finding;
    if (problem !== "") await say(`${check}: ${problem}`);
  }
  const { out } = await osctlWith(osconfig)(
    "version",
    "--client",
    "--output",
    "jsonl",
  );
  const version = String(JSON.parse(out).tag);
  const report = formatReport(findings, { version, tags, date: new Date() });
  await Deno.writeTextFile(path, report);
  await say(`Wrote ${path}`);
  return { hasProblems: findings.some(({ problem }) => problem !== "") };
}
