/** Plans against model clusters, for tests. */

import { entries } from "../../../../commands/_index.ts";
import { makeFinders } from "../../../../commands/_runbook/finders.ts";
import { loadOptions } from "../../../../commands/_runbook/load_options.ts";
import { openModelLink } from "../../../../workflows/rehearsal/model_process.ts";
import type { StepPlace } from "../../../../commands/_kit/step_module.ts";
import type { Environment } from "../../../../terminal/environment.ts";
import type { Globals } from "../../../../commands/_kit/globals.ts";
import {
  createModelCluster,
  type ModelCluster,
  type ModelClusterOptions,
} from "../../../../workflows/rehearsal/model/model_cluster.ts";
import { checks } from "../../../../workflows/checks/all.ts";
import type { Json } from "../../../../lib/json.ts";
import {
  heldCheck,
  heldModule,
} from "../../../../workflows/rehearsal/real_time_modules.ts";
import {
  type SimulatedProcess,
  startProcess,
} from "../../../../workflows/rehearsal/simulated_process.ts";
import { findAll } from "../../../../workflows/runbooks/language/lookup.ts";
import { loadRunbook } from "../../../../workflows/runbooks/language/loading/load.ts";
import { allSteps } from "../../../../workflows/runbooks/language/walk.ts";
import type { Plan } from "../../../../workflows/runbooks/plan/plan.ts";
import { makePlan } from "../../../../workflows/runbooks/plan/make_plan.ts";
import {
  readingKubernetes,
  readingOnly,
} from "../../../../workflows/runbooks/lock/read_only.ts";
import type { Runbook } from "../../../../workflows/runbooks/runbook.ts";

/** Runs a test against a model cluster, on its clock; default three control planes and two workers. */
export async function withCluster(
  options: Partial<ModelClusterOptions>,
  test: (cluster: ModelCluster) => Promise<void>,
): Promise<void> {
  const cluster = await createModelCluster({
    controlPlanes: 3,
    workers: 2,
    version: "v1.13.4",
    ...options,
  });
  try {
    await cluster.clock.run(() => test(cluster));
  } finally {
    await cluster.stop();
  }
}

const noVault = {
  read: () => Promise.reject(new Error("There are no secrets")),
  names: () => [],
  find: () => undefined,
};

const sink = {
  terminal: false,
  columns: () => undefined,
  write: () => Promise.resolve(),
};

const environment: Environment = {
  env: () => undefined,
  now: () => new Date(0),
  os: "linux",
  stdout: sink,
  stderr: sink,
  stdin: { terminal: false, readable: new Blob().stream() },
};

export interface Planning {
  /** Values of inputs; initial values are filled in. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Only these nodes. */
  readonly limit?: readonly string[];
}

/** Loads a runbook that comes with the program. */
export async function load(source: string): Promise<Runbook> {
  return (await loadRunbook(
    source,
    loadOptions({ commands: entries, environment }),
  )).runbook;
}

/** Lets only readings through; what else is asked for is refused before. */
export function readingLife(life: SimulatedProcess): SimulatedProcess {
  return {
    ...life,
    transport: (inner) => readingOnly(life.transport(inner)),
    kubernetes: (inner) => readingKubernetes(life.kubernetes(inner)),
  };
}

/** Makes a plan of a runbook for a cluster. */
export async function planFor(
  cluster: ModelCluster,
  runbook: Runbook,
  { inputs = {}, limit }: Planning = {},
): Promise<Plan> {
  const life = readingLife(startProcess({ clock: cluster.clock }));
  const { clock, work, dead } = life;
  using link = await openModelLink(cluster, life, noVault);
  const { steps, rescue, always } = runbook;
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  const place: StepPlace = {
    nodes: link.nodes,
    // Steps ask for no more of them.
    globals: { nodes: [], endpoints: [] } as unknown as Globals,
    environment,
    reopen: () => link.nodes,
  };
  const found = await work.during(() =>
    findAll(names, makeFinders(entries, place))
  );
  return await makePlan({
    runbook,
    inputs,
    cluster: link.cluster,
    facts: await link.cluster.readFacts(),
    found: {
      ...found,
      module(name) {
        const module = found.module(name);
        return module && heldModule(module, work);
      },
    },
    checks: new Map(
      [...checks].map(([name, check]) => [name, heldCheck(check, work)]),
    ),
    ring: link.ring,
    clock,
    signal: dead,
    parallel: 32,
    ...(limit === undefined ? {} : { limit: new Set(limit) }),
  });
}
