import { readBoundedText } from "../../lib/files/bounded_file.ts";
import { ConfigError } from "../../errors.ts";
import { programRunner } from "../../lib/run_program.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";
import { parseClusterSpec } from "../../workflows/rehearsal/cluster_shape.ts";
import {
  type LikeLive,
  likeLive,
} from "../../workflows/rehearsal/like_live.ts";
import { parseFault } from "../../workflows/rehearsal/faults/parse_fault.ts";
import {
  readRehearsal,
  type RehearsalFile,
} from "../../workflows/rehearsal/rehearsal_file.ts";
import { reachCluster } from "../../workflows/runbooks/engine/run_cluster.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import { resolveGiven } from "../../workflows/runbooks/run/given_inputs.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import {
  type Command,
  type Context,
  lines,
  type Values,
  word,
} from "../_kit/mod.ts";
import {
  rehearseRunbook,
  repeatCommand,
} from "../_runbook/rehearse_runbook.ts";
import { runSession } from "../_runbook/session.ts";
import { rehearsalFlags } from "../_runbook/rehearsal_flags.ts";

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
  const { allowCommands } = input;
  const { different } = like;
  await rehearseRunbook(context, {
    runbook,
    inputs,
    cluster: like.spec,
    seed,
    different,
    faults,
    matrices: [...new Set([...file?.matrices ?? [], ...input.matrix])],
    expect: file?.expect,
    steps: session.steps,
    programs: allowCommands ? programRunner(environment.env) : "rehearsed",
    again: (all, cluster) =>
      repeatCommand(input, { faults: all, cluster, seed }),
  });
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
