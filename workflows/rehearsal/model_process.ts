/** Simulated process that runs a runbook against a model cluster, with the same engine as real runs. */

import type { ModelCluster } from "./model/model_cluster.ts";
import { checks } from "../checks/all.ts";
import type { Json } from "../../lib/json.ts";
import { type Disk, redirectPaths } from "./model_disk.ts";
import { heldCheck, heldModule } from "./real_time_modules.ts";
import type { SimulatedProcess } from "./simulated_process.ts";
import type { RunEnd } from "../runbooks/engine/run.ts";
import type { EngineOptions } from "../runbooks/engine/engine_options.ts";
import type { FoundNames } from "../runbooks/language/lookup.ts";
import type { Runbook } from "../runbooks/runbook.ts";
import type { RunHeader } from "../runbooks/store/run_header.ts";
import { createMasker } from "../../lib/masker.ts";
import type {
  RunSession,
  StepEnvironment,
} from "../runbooks/run/run_session.ts";
import { hasJoined } from "../runbooks/run/resume_run.ts";
import { findSteps, readWhenBack } from "../runbooks/run/prepare_run.ts";
import type { NewCluster } from "../runbooks/engine/run_cluster.ts";
import { runEngine } from "../runbooks/run/run_engine.ts";
import { restoreCredentials } from "../ca/credentials.ts";
import type { RunCredentialsOptions } from "../ca/run_credentials.ts";
import { createFence, type Fence } from "../runbooks/lock/fence.ts";
import type { Vault } from "../vault/secrets.ts";
import { linkRun, type RunConnection } from "../runbooks/run/run_connection.ts";
import { openModelKubernetes } from "./model/model_kubernetes.ts";
import { connectModel, modelNodes } from "./model/model_nodes.ts";

/** Runbook to rehearse. */
export interface RehearsedRunbook {
  readonly runbook: Runbook;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly ask: EngineOptions["ask"];
  /** Nodes at once for steps that do not disrupt nodes. */
  readonly parallel: number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  readonly steps: RunSession["steps"];
  /** True if the run creates the cluster. */
  readonly creates: boolean;
}

interface ProcessOptions {
  readonly cluster: ModelCluster;
  readonly process: SimulatedProcess;
  readonly disk: Disk;
  readonly through: Parameters<Disk["open"]>[0];
  readonly emit: EngineOptions["emit"];
}

const operator = "rehearsal@localhost";

const rehearsedId = "rehearsal";

/** Runs or resumes a runbook, until it finishes or the process is killed. */
export async function runModelProcess(
  rehearsed: RehearsedRunbook,
  { cluster, process, disk, through, emit }: ProcessOptions,
): Promise<RunEnd> {
  const { runbook, inputs, ask, parallel, random, steps } = rehearsed;
  const { clock, work } = process;
  const { journal, history } = await disk.open(
    (store) => process.store(through(store)),
    () => new Date(clock.now()),
  );
  const header = makeHeader(rehearsed, cluster);
  const created = hasJoined({ header, history }) ? undefined : header.cluster;
  using link = await openModelLink(cluster, process, disk.vault, created);
  const { nodes, reopen } = link;
  const now = () => new Date(clock.now());
  const found = await work.during(() =>
    findSteps(runbook, steps({ nodes, reopen, now }))
  );
  const { signal } = new AbortController();
  const facts = await readWhenBack(link.cluster, { clock, signal, note() {} });
  return await runEngine({
    run: {
      folder: disk.folder,
      header,
      runbook,
      history,
      journal,
    },
    connection: link,
    vault: {
      ...disk.vault,
      masker: createMasker(),
      // The vault is inspected afterwards.
      destroyKey: () => Promise.resolve(),
    },
    found: wrapFound(found, process, disk),
    facts,
    inputs,
    clock,
    operator,
    next: `osctl runbook resume ${rehearsedId}`,
    checks: new Map(
      [...checks].map(([name, check]) => [name, heldCheck(check, work)]),
    ),
    random,
    artifacts: () => work.during(disk.files),
  }, {
    emit,
    stop: { soft: signal, hard: signal },
    ask,
    parallel,
  });
}

function wrapFound(
  found: FoundNames,
  { work }: SimulatedProcess,
  disk: Disk,
): FoundNames {
  return {
    ...found,
    module(name) {
      const module = found.module(name);
      return module && heldModule(redirectPaths(module, disk), work);
    },
  };
}

function makeHeader(
  { runbook, inputs, creates }: RehearsedRunbook,
  { name, clock }: ModelCluster,
): RunHeader {
  return {
    v: 1,
    id: rehearsedId,
    runbook: runbook.name,
    source: runbook.name,
    files: {},
    ir: "",
    inputs,
    context: "rehearsal",
    cluster: { id: name, name },
    ...creates && { creates },
    operator,
    version: "",
    at: new Date(clock.now()).toISOString(),
  };
}

/** Connection to a model cluster. */
export interface ModelLink extends Omit<RunConnection, "context" | "crt"> {
  /** Opens connections to other nodes, over the same transport. */
  readonly reopen: NonNullable<StepEnvironment["reopen"]>;
}

/** Connects to the cluster; all calls go through the simulated process. */
export async function openModelLink(
  cluster: ModelCluster,
  process: SimulatedProcess,
  vault: Pick<Vault, "read" | "names" | "find">,
  created?: NewCluster,
): Promise<ModelLink> {
  const endpoints = cluster.observe().nodes.flatMap(
    ({ role, isPart, address }) =>
      role === "controlplane" && isPart ? [address] : [],
  );
  const { clock, dead: signal } = process;
  const { admin: identity } = cluster;
  const inner = createFence();
  const fence: Fence = {
    ...inner,
    // A node may wait for a response that another one requested: time advances meanwhile.
    close: (guard) => inner.close(() => process.work.outside(guard)),
  };
  const connect: RunCredentialsOptions["connect"] = (to, shown) =>
    fence.transport(process.transport(connectModel(cluster, to, shown)));
  const base = { endpoints, connect, identity, signal };
  const link = linkRun(
    {
      home: { name: "rehearsal", endpoints, nodes: endpoints },
      identity,
      connect,
      vault,
      signal,
    },
    fence,
    clock,
    (transport) => modelNodes({ ...base, nodes: ["@all"], transport }),
    (access) =>
      fence.kubernetes(
        process.kubernetes(openModelKubernetes(cluster, access)),
      ),
    created,
  );
  const { transport } = link.ring;
  await restoreCredentials(link.ring, vault);
  return {
    ...link,
    // Closing them would close the connections of the whole run.
    reopen: ({ nodes }) => ({
      ...modelNodes({ ...base, nodes, transport }),
      close() {},
    }),
  };
}
