import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { maskValue, processMasker } from "../../lib/masker.ts";
import {
  ConfigError,
  exitStatus,
  OsctlError,
  OutcomeError,
} from "../../errors.ts";
import { drawing, fitText } from "../../terminal/drawing.ts";
import { shellWord } from "../../terminal/shell_word.ts";
import { programRunner } from "../../workflows/modules/run_program.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { formatElapsed } from "../../workflows/operations/node_rows.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";
import {
  clusterSpecText,
  type ModelClusterSpec,
  parseClusterSpec,
} from "../../workflows/rehearsal/cluster_shape.ts";
import { parseFault } from "../../workflows/rehearsal/faults/parse_fault.ts";
import type { ModelClusterOptions } from "../../workflows/rehearsal/model/model_cluster.ts";
import { openTestbed } from "../../workflows/rehearsal/open_testbed.ts";
import { rehearseAll } from "../../workflows/rehearsal/rehearsal.ts";
import {
  readRehearsal,
  type RehearsalFile,
} from "../../workflows/rehearsal/rehearsal_file.ts";
import { rehearsalPicture } from "../../workflows/rehearsal/rehearsal_picture.ts";
import {
  isGood,
  rehearsalDocument,
  type RehearsalReport,
} from "../../workflows/rehearsal/rehearsal_report.ts";
import { rehearsalText } from "../../workflows/rehearsal/rehearsal_text.ts";
import { reachCluster } from "../../workflows/runbooks/engine/run_cluster.ts";
import type { NodeFacts } from "../../workflows/runbook_cel/facts.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import {
  type GivenInputs,
  resolveGiven,
} from "../../workflows/runbooks/run/given_inputs.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import {
  type Command,
  type Context,
  lines,
  type Values,
  word,
} from "../_kit/mod.ts";
import { runSession } from "../_runbook/session.ts";
import { rehearsalFlags } from "./_flags/rehearsal_flags.ts";

const inputs = {
  ...rehearsalFlags,
  runbook: word("file, builtin:<name>, or file of a rehearsal", {
    complete: "runbooks",
  }),
};

type RehearseInputs = Values<typeof inputs>;

export const command = {
  summary: "Rehearse a runbook on simulated nodes",
  description:
    `Runs the runbook with the same engine on a simulated cluster in this process, in virtual time. All approvals are
given. All files are written to a temporary directory, including those with a path in the runbook.

A fault specifies what fails, where and when, such as 'node/worker-2: never-returns @ restart'. A matrix repeats the
rehearsal for many cases: kill ends the process before and after every journal record, and another process resumes;
network drops every call, before and after it takes effect; nodes varies the cluster. After every run the invariants
are checked. The status is 1 if one is violated, or if a run failed without an injected fault.

A file *.rehearsal.yaml holds the runbook, cluster, inputs, faults and expected result of the run.`,
  output: "own",
  inputs,
  examples: [
    "runbook rehearse builtin:rolling-upgrade --input version=v1.13.6",
    "runbook rehearse builtin:rolling-upgrade -i version=v1.13.6 --cluster sim:3cp+5w,v1.13.4 --fault 'node/worker-2: never-returns @ restart'",
    "runbook rehearse upgrade.runbook.yaml --matrix kill,network --report out",
  ],
  view: lines(() => ""),
  run: rehearse,
} satisfies Command<never, RehearseInputs>;

// The report is written in its own formats.
// deno-lint-ignore require-yield
async function* rehearse(
  context: Context<RehearseInputs>,
): AsyncGenerator<never> {
  const { input, environment, signal } = context;
  const file = await loadFile(input.runbook);
  const source = file === undefined
    ? input.runbook
    : beside(input.runbook, file.runbook);
  const session = runSession(context);
  const { runbook } = await loadRunbook(source, session.load);
  const faults = [...file?.faults ?? [], ...input.fault];
  faults.forEach(parseFault);
  const like = await readCluster(context, file);
  const seed = input.seed || (file?.seed ?? 1);
  const inputs = await resolveGiven(runbook, {
    given: { ...input, input: [...givenBy(file), ...input.input] },
    environment,
    signal,
    assumed: (name) => assumeInput(runbook, name),
  });
  const { parallel, allowCommands } = input;
  const programs = allowCommands
    ? programRunner(environment.env)
    : "rehearsed" as const;
  const { different } = like;
  const progress = rehearsalProgress(context, runbook.name);
  const rehearsed = await rehearseAll({
    runbook,
    cluster: like.spec,
    open: (spec) =>
      openTestbed(spec, {
        ...{ runbook, inputs, seed, parallel },
        steps: (given) => session.steps({ ...given, programs }),
        // Clusters of other sizes do not have the nodes of the real one.
        ...(spec === like.spec ? { different } : {}),
      }),
    faults,
    matrices: [...new Set([...file?.matrices ?? [], ...input.matrix])],
    invariants: input.invariants,
    seed,
    most: input.cases,
    ...(file?.expect === undefined ? {} : { expect: file.expect }),
    again: (all, cluster) =>
      repeatCommand(input, { faults: all, cluster, seed }),
    now: environment.now,
    report: (_, done, total) => progress.take(done, total),
    signal,
  }).finally(progress.end);
  const report = maskValue(rehearsed, processMasker.mask);
  await write(context, report);
  const bad = report.runs.filter((run) => !isGood(run)).length;
  if (bad > 0) {
    throw new OutcomeError(
      "failed",
      `${bad} of ${report.runs.length} runs did not end as expected`,
      exitStatus.failed,
    );
  }
}

const noteEvery = 25;

interface RehearsalProgress {
  /** Takes the numbers of finished runs and of all runs. */
  readonly take: (done: number, total: number) => void;
  readonly end: () => Promise<void>;
}

/** Progress of a rehearsal: one line on a terminal, otherwise a line every few runs. */
function rehearsalProgress(
  { environment: { live, now }, note }: Context<RehearseInputs>,
  name: string,
): RehearsalProgress {
  if (live === undefined) {
    return {
      take(done, total) {
        if (done % noteEvery === 0) {
          note(`${now().toISOString().slice(11, 19)} ${done} of ${total} runs`);
        }
      },
      end: () => Promise.resolve(),
    };
  }
  const startedAt = now().getTime();
  let runs = "";
  const { end } = drawing(live, ({ columns }) => {
    const took = formatElapsed(startedAt, now().getTime());
    return [fitText(`rehearsing ${name}${runs}, ${took}`, columns)];
  });
  return {
    take(done, total) {
      runs = `: ${done} of ${total} runs`;
    },
    end: () => end(true),
  };
}

async function loadFile(path: string): Promise<RehearsalFile | undefined> {
  if (!/\.rehearsal\.ya?ml$/.test(path)) return undefined;
  const expected = "a rehearsal";
  const text = await readBoundedText({ path, limitMib: 4, expected });
  if (text === undefined) throw new ConfigError(`There is no file "${path}"`);
  return readRehearsal(text, path);
}

function beside(file: string, runbook: string): string {
  if (runbook.startsWith("builtin:") || runbook.startsWith("/")) return runbook;
  const at = file.lastIndexOf("/");
  return at < 0 ? runbook : `${file.slice(0, at)}/${runbook}`;
}

function givenBy(file: RehearsalFile | undefined): readonly string[] {
  return Object.entries(file?.inputs ?? {})
    .map(([name, value]) => `${name}=${value}`);
}

/** Default input values of a rehearsal: output file paths, and the name of the simulated cluster. */
function assumeInput(runbook: Runbook, name: string): string | undefined {
  if (runbook.inputs[name]?.type === "path") return `rehearsed-${name}`;
  return name === "cluster" ? "demo" : undefined;
}

/** Default simulated cluster. */
const usual = "sim:3cp+3w";

async function readCluster(
  context: Context<RehearseInputs>,
  file: RehearsalFile | undefined,
): Promise<LikeLive> {
  const { input, environment, signal, nodes } = context;
  if (!input.likeLive) {
    const text = input.cluster ?? file?.cluster ?? usual;
    return { spec: parseClusterSpec(text), different: {} };
  }
  if (input.cluster !== undefined) {
    throw new ConfigError("Flags --cluster and --like-live cannot be combined");
  }
  const clock = makeClock(environment);
  using view = viewCluster(nodes, clock);
  const reached = reachCluster(nodes, view, clock, signal);
  const facts = await reached.readFacts();
  return likeLive(facts.nodes);
}

async function write(
  { input: { output, report: folder }, environment: { stdout }, note }: Context<
    RehearseInputs
  >,
  report: RehearsalReport,
): Promise<void> {
  const json = () => `${JSON.stringify(rehearsalDocument(report), null, 2)}\n`;
  const text = output === "json"
    ? json()
    : output === "html"
    ? rehearsalPicture(report)
    : rehearsalText(report);
  await stdout.write(new TextEncoder().encode(text));
  if (folder === undefined) return;
  await writeFileAtomic(`${folder}/report.html`, rehearsalPicture(report));
  await writeFileAtomic(`${folder}/report.json`, json());
  note(`The report is in ${folder}/report.html`);
}

/** Formats the command to repeat a case. `input`: inputs of the rehearsal, without its matrices. */
export function repeatCommand(
  input: GivenInputs & {
    readonly runbook: string;
    readonly likeLive: boolean;
    readonly allowCommands: boolean;
  },
  { faults, cluster, seed }: {
    readonly faults: readonly string[];
    readonly cluster: ModelClusterSpec;
    readonly seed: number;
  },
): string {
  const isFile = /\.rehearsal\.ya?ml$/.test(input.runbook);
  return [
    "osctl runbook rehearse",
    shellWord(input.runbook),
    ...input.input.map((one) => `--input ${shellWord(one)}`),
    ...(input.inputs === undefined
      ? []
      : [`--inputs ${shellWord(input.inputs)}`]),
    ...input.secret.map((one) => `--secret ${shellWord(one)}`),
    input.likeLive ? "--like-live" : `--cluster ${clusterSpecText(cluster)}`,
    // Faults of the file need no flag.
    ...faults.filter((one) => !isFile || one.startsWith("runner: "))
      .map((one) => `--fault ${shellWord(one)}`),
    ...(input.allowCommands ? ["--allow-commands"] : []),
    `--seed ${seed}`,
  ].join(" ");
}

/** A simulated cluster modeled on a real one. */
export interface LikeLive {
  readonly spec: ModelClusterSpec;
  /** Nodes that differ from the rest. */
  readonly different: NonNullable<ModelClusterOptions["different"]>;
}

/**
 * Models a simulated cluster on the facts of a real one; unreachable nodes are like the others.
 *
 * @throws {OsctlError} If no control plane reports its version.
 */
export function likeLive(nodes: readonly NodeFacts[]): LikeLive {
  const controlPlanes = nodes.filter(({ role }) => role === "controlplane");
  const workers = nodes.filter(({ role }) => role === "worker");
  const version = mostCommon(nodes.map((node) => node.version));
  if (version === undefined || controlPlanes.length === 0) {
    throw new OsctlError(
      "Cannot simulate the cluster: no node reports enough",
      {
        hint: "Give its size instead: --cluster sim:3cp+5w,v1.13.4",
      },
    );
  }
  const named = [
    ...controlPlanes.map((node, at) =>
      [`demo-controlplane-${at + 1}`, node] as const
    ),
    ...workers.map((node, at) => [`demo-worker-${at + 1}`, node] as const),
  ];
  const isGrub = (node: NodeFacts) => node.bootloader.includes("grub");
  return {
    spec: {
      controlPlanes: controlPlanes.length,
      workers: workers.length,
      version,
      grub: false,
    },
    different: Object.fromEntries(
      named.flatMap(([name, node]) => {
        const other = {
          ...(node.version === "" || node.version === version
            ? {}
            : { version: node.version }),
          ...(isGrub(node) ? { bootLoader: "grub" as const } : {}),
        };
        return Object.keys(other).length === 0 ? [] : [[name, other]];
      }),
    ),
  };
}

function mostCommon(versions: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const version of versions) {
    if (version !== "") counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  const [first] = [...counts].toSorted((a, b) => b[1] - a[1]);
  return first?.[0];
}
