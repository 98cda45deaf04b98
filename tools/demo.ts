/** Demonstrates osctl: it upgrades simulated nodes, is killed midway, and resumes. */

import { exitStatus } from "../errors.ts";
import { killChild } from "../lib/kill_child.ts";
import { wrap } from "../terminal/table.ts";
import { drawBoots, watchBoots, wrongBoots } from "./boot_count.ts";

const before = "v1.13.4";
const target = "v1.13.9";

interface DemoCommand {
  /** Introduction of the step. */
  readonly why: string;
  /** Arguments without `osctl`, separated by single spaces. */
  readonly line: string;
  /** Log lines to show; default none, unless it fails. */
  readonly log?: RegExp;
  /** Log line at which it is killed; its first group is the node. */
  readonly killAt?: RegExp;
}

/** A check of the nodes: number of boots since the step `from`. */
interface DemoBoots {
  /** Introduction of the step. */
  readonly why: string;
  /** Version that all nodes should run after one boot. */
  readonly boots: string;
}

/** A step of the demonstration. */
export type DemoStep = DemoCommand | DemoBoots;

const nodes = /Upgrade [^:]+: \S+ (?:started|done)/;

/** The demonstration, in order. */
export const tour: readonly DemoStep[] = [
  {
    why:
      "Start five simulated nodes. They answer the node API as real ones do.",
    line:
      `cluster create embedded --name lab --controlplanes 3 --workers 2 --os-version ${before} --pace fast`,
  },
  { why: "Which version does each node run?", line: "get members" },
  {
    why: `What would an upgrade to ${target} do, and does anything prevent it?`,
    line: `upgrade plan --to ${target} --nodes @all`,
  },
  {
    why:
      "Upgrade all nodes, one at a time: first one worker, then the control planes, then the other worker. " +
      "While the second node reboots, the process is killed.",
    line:
      `runbook run builtin:rolling-upgrade --input version=${target} --input soak=0s --yes`,
    log: nodes,
    killAt: /(\S+controlplane\S+): rebooting$/,
  },
  {
    why: "How far did it get? Every step was recorded before it was sent.",
    line: "runbook status",
  },
  {
    why:
      "Resume. The node in doubt is asked what happened, and is not rebooted again.",
    line: "runbook resume --yes",
    log: nodes,
  },
  {
    why:
      "Was every node upgraded, and rebooted only once? Each node was asked for its boot ID ten times a second.",
    boots: target,
  },
  { why: "Is the cluster healthy?", line: "health" },
  {
    why: "Does every endpoint reach every node?",
    line: "doctor connect --field-selector STAGE=nodes",
  },
  { why: "Remove all of it.", line: "cluster destroy --name lab" },
];

interface DemoGuide {
  /** Runs a step and shows its output; returns problems, empty if none. */
  readonly perform: (step: DemoStep) => Promise<readonly string[]>;
  readonly print: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Shows steps in order, up to the first failure.
 *
 * @returns Problems; empty if there were none, or on an interrupt.
 */
export async function show(
  steps: readonly DemoStep[],
  { perform, print, signal }: DemoGuide,
): Promise<readonly string[]> {
  for (const step of steps) {
    const why = wrap(step.why, columns - 2).map((line) => `# ${line}`);
    await print(`\n${why.map((line) => `${paint(line, 36)}\n`).join("")}`);
    if ("line" in step) await print(`${paint(formatLine(step.line), 1)}\n`);
    const wrong = await perform(step);
    if (signal.aborted) return [];
    if (wrong.length > 0) return wrong;
  }
  return [];
}

const columns = 80;

const isColored = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR");

/** Formats a text with a terminal color or weight. */
function paint(text: string, code: number): string {
  return isColored ? `\x1b[${code}m${text}\x1b[0m` : text;
}

/** A command line as typed, with line continuations if it is long. */
function formatLine(line: string): string {
  // A flag stays with its value.
  const joined = `$ osctl ${line.replaceAll(/(--\S+) (?!-)/g, "$1\u00a0")}`;
  return wrap(joined, columns - 2).join(" \\\n    ")
    .replaceAll("\u00a0", " ");
}

interface DemoPlace {
  /** Folder with all files of osctl. */
  readonly folder: string;
  readonly print: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Runs osctl from the sources, with all its files in one folder. */
function osctlIn(folder: string, line: string): Deno.Command {
  const main = new URL("../mod.ts", import.meta.url).pathname;
  const { NO_PROXY = "", no_proxy = NO_PROXY } = Deno.env.toObject();
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", main, ...line.split(" ")],
    env: {
      OS_HOME: folder,
      OSCONFIG: `${folder}/config`,
      KUBECONFIG: `${folder}/kubeconfig`,
      OSCTL_COLUMNS: `${columns}`,
      // Simulated nodes are on this machine.
      NO_PROXY: [no_proxy, "127.0.0.0/8"].filter(Boolean).join(","),
      no_proxy: "",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Runs the command of a step and shows its output. */
export async function performCommand(
  { line, log, killAt }: DemoCommand,
  { folder, print, signal }: DemoPlace,
): Promise<readonly string[]> {
  const child = osctlIn(folder, line).spawn();
  const kill = () => killChild(child, "SIGKILL");
  signal.addEventListener("abort", kill);
  const errors: string[] = [];
  let killed = false;
  const out = (async () => {
    for await (const one of readLines(child.stdout)) {
      await print(`${fit(one, folder)}\n`);
    }
  })();
  for await (const one of readLines(child.stderr)) {
    errors.push(one);
    if (killed) continue;
    if (log?.test(one)) await print(`${fit(one, folder)}\n`);
    const [, node] = killAt?.exec(one) ?? [];
    if (node !== undefined) {
      killed = true;
      kill();
      const text = `[killed with SIGKILL while ${node} reboots]`;
      await print(`${paint(text, 31)}\n`);
    }
  }
  await out;
  const { code } = await child.status;
  signal.removeEventListener("abort", kill);
  if (killAt !== undefined) {
    return killed
      ? []
      : [`"osctl ${line}" ended before it was killed`, ...errors];
  }
  return code === 0 ? [] : [`"osctl ${line}" ended with ${code}`, ...errors];
}

async function* readLines(
  stream: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}

/** A line that fits, with the folder shortened. */
function fit(line: string, folder: string): string {
  const text = line.replaceAll(folder, "~/.os").trimEnd();
  const indent = " ".repeat(text.length - text.trimStart().length);
  return wrap(text.trimStart(), columns - indent.length)
    .map((part) => indent + part).join(`\n`);
}

async function readNodes(folder: string): Promise<ReadonlyMap<string, string>> {
  const line = "cluster show --name lab --output json";
  const { stdout } = await osctlIn(folder, line).output();
  const { nodes } = JSON.parse(new TextDecoder().decode(stdout));
  return new Map(
    nodes.map((
      { id, name }: { readonly id: string; readonly name: string },
    ) => [id, name]),
  );
}

/** Runs the tour; returns problems. Always cleans up. */
async function demonstrate(
  { print, signal }: Omit<DemoPlace, "folder">,
): Promise<readonly string[]> {
  const folder = await Deno.makeTempDir({ prefix: "osctl-demo-" });
  const place = { folder, print, signal };
  let watch: Awaited<ReturnType<typeof watchBoots>> | undefined;
  try {
    return await show(tour, {
      print,
      signal,
      async perform(step) {
        if ("boots" in step) {
          const counts = await watch?.end() ?? [];
          watch = undefined;
          await print(drawBoots(counts));
          return wrongBoots(counts, step.boots);
        }
        // State of the nodes before their upgrade.
        if (step.killAt) {
          watch = await watchBoots(`${folder}/config`, await readNodes(folder));
        }
        return await performCommand(step, place);
      },
    });
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    await watch?.end().catch(() => {});
    await osctlIn(folder, "cluster destroy --name lab --force").output();
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const stop = new AbortController();
  let status: number = exitStatus.ok;
  // Also on repeated interrupts: cleanup comes first.
  for (
    const [name, code] of [["SIGINT", 130], ["SIGTERM", 143], [
      "SIGHUP",
      129,
    ]] as const
  ) {
    Deno.addSignalListener(name, () => {
      status ||= code;
      stop.abort();
    });
  }
  const encoder = new TextEncoder();
  const began = performance.now();
  const wrong = await demonstrate({
    signal: stop.signal,
    async print(text) {
      await Deno.stdout.write(encoder.encode(text));
    },
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  if (wrong.length > 0) {
    status ||= exitStatus.failed;
    // deno-lint-ignore no-console
    console.error(`\nNot as expected: ${wrong.join("\n")}`);
  } else if (status === 0) {
    await Deno.stdout.write(
      encoder.encode(`\nAll as expected, in ${seconds} s\n`),
    );
  }
  Deno.exit(status);
}
