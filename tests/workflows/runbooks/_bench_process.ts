/** One process of a run on a bench. */

import { entries } from "../../../commands/_index.ts";
import { makeFinders } from "../../../commands/_runbook/finders.ts";
import {
  type ModelLink,
  openModelLink,
} from "../../../workflows/rehearsal/model_process.ts";
import type { Globals } from "../../../commands/_kit/globals.ts";
import type { Environment } from "../../../terminal/environment.ts";
import type {
  ModelCluster,
  ModelFault,
} from "../../../workflows/rehearsal/model/model_cluster.ts";
import type { Json } from "../../../lib/json.ts";
import type { Disk } from "../../../workflows/rehearsal/model_disk.ts";
import {
  heldCheck,
  heldModule,
} from "../../../workflows/rehearsal/real_time_modules.ts";
import {
  type SimulatedProcess,
  startProcess,
} from "../../../workflows/rehearsal/simulated_process.ts";
import {
  type RunEnd,
  runRunbook,
} from "../../../workflows/runbooks/engine/run.ts";
import type {
  ApprovalRequest,
  EngineOptions,
  RunLock,
} from "../../../workflows/runbooks/engine/engine_options.ts";
import type { EventType } from "../../../workflows/runbooks/event.ts";
import { ClusterLock } from "../../../workflows/runbooks/lock/cluster_lock.ts";
import { isUnfinished } from "../../../workflows/runbooks/store/run_condition.ts";
import type { JournalStore } from "../../../workflows/runbooks/journal/writer.ts";
import {
  findAll,
  type Finders,
} from "../../../workflows/runbooks/language/lookup.ts";
import { allSteps } from "../../../workflows/runbooks/language/walk.ts";
import type { Module } from "../../../workflows/modules/module.ts";
import type { Vault } from "../../../workflows/vault/secrets.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import {
  type Details,
  type JournalRecord,
  loose,
  type NewRecord,
  whole,
} from "./_records.ts";

/** An event of a run. */
export interface Told {
  /** Kind. */
  readonly type: EventType;
  /** Path of the step; empty for those of the run. */
  readonly path: string;
  /** Node; empty without one. */
  readonly node: string;
  readonly data: Details;
  /** When, in milliseconds since 1970. */
  readonly at: number;
}

export interface Controls {
  /** The first wish to stop. */
  readonly stop: () => void;
  /** The second. */
  readonly abandon: () => void;
  /** Ends the process as a loss of power does. */
  readonly kill: () => void;
  /** Switches a fault on; what was thrown fails the run. */
  readonly inject: (fault: ModelFault) => Promise<() => Promise<void>>;
  /** Writes down what an operator decides meanwhile. */
  readonly decide: (record: NewRecord) => Promise<void>;
  /** Waits, in milliseconds of the cluster's time. */
  readonly wait: (ms: number) => Promise<void>;
}

export interface ProcessOptions {
  /** Answers: yes or no by tag, or to everything; omitted, there is no terminal. */
  readonly answers?:
    | boolean
    | Readonly<Record<string, boolean>>
    | EngineOptions["ask"];
  /** Number of the record with which the process dies; it is written. */
  readonly killAt?: number;
  /** Called with each event; may wait, and the run does not wait for it. */
  readonly on?: (event: Told, controls: Controls) => void | Promise<void>;
  /** Called with each record before it is written. */
  readonly onRecord?: (record: JournalRecord, controls: Controls) => void;
  /** Put between the process and its disk. */
  readonly through?: (store: JournalStore) => JournalStore;
  /** Records of the operator before the run continues: decisions, other inputs. */
  readonly decisions?: readonly NewRecord[];
  /** Only these nodes. */
  readonly limit?: readonly string[];
  /** Nodes at once for steps that disturb nobody; default 32. */
  readonly parallel?: number;
  /** RunLock on the cluster; `lease` is the real one, default always there. */
  readonly hold?: RunLock | "lease";
  /** Its secrets; default those of the disk. */
  readonly vault?: Vault;
  /** Secrets that the operator gave, by name; put there before it begins. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Id of the run; default `run-1`. */
  readonly id?: string;
}

export interface Ran {
  /** Its end; absent when it was killed. */
  readonly end: RunEnd | undefined;
  /** State and status of its end: `failed 1`, `killed` when it was. */
  readonly verdict: string;
  readonly events: readonly Told[];
  /** All records of the journal. */
  readonly records: readonly JournalRecord[];
}

export interface Begun {
  /** The runbook. */
  readonly runbook: Runbook;
  /** Values of its inputs. */
  readonly inputs: Readonly<Record<string, Json>>;
}

export interface Place {
  /** The cluster. */
  readonly cluster: ModelCluster;
  readonly disk: Disk;
  readonly found: Finders;
  /** Modules of the test. */
  readonly modules: readonly Module[];
}

/**
 * Runs a run, or resumes it, until it ends or is killed.
 *
 * @param place The cluster and its disk.
 * @param started What is run.
 * @param options How the process is.
 */
export async function runProcess(
  place: Place,
  startedAt: Begun,
  options: ProcessOptions,
): Promise<Ran> {
  const { cluster, disk } = place;
  const life = startProcess({ clock: cluster.clock });
  const events: Told[] = [];
  const reactions: Promise<unknown>[] = [];
  const soft = new AbortController();
  const hard = new AbortController();
  const operator: Process["operator"] = {};
  const controls: Controls = {
    decide: async (record) => await operator.decide?.(record),
    stop: () => soft.abort(),
    abandon() {
      soft.abort();
      hard.abort();
    },
    kill: life.kill,
    inject: cluster.inject,
    wait: (ms) => cluster.clock.sleep(ms),
  };
  const emit: EngineOptions["emit"] = (reported) => {
    if (life.dead.aborted) return;
    const { type, path = "", node = "" } = reported;
    // Its data are a document.
    const data = reported.data as Details;
    const event = { type, path, node, data, at: cluster.clock.now() };
    events.push(event);
    reactions.push(Promise.resolve(options.on?.(event, controls)));
  };
  const died = new Promise<undefined>((resolve) =>
    life.dead.addEventListener("abort", () => resolve(undefined))
  );
  const stop = { soft: soft.signal, hard: hard.signal };
  const end = await cluster.clock.run(() =>
    Promise.race([
      conduct(place, startedAt, {
        ...options,
        life,
        emit,
        stop,
        controls,
        operator,
      }),
      died,
    ])
  );
  await cluster.clock.run(() => Promise.all(reactions));
  return {
    end,
    verdict: end === undefined ? "killed" : `${end.state} ${end.status}`,
    events,
    records: (await disk.records()).map(loose),
  };
}

interface Process extends ProcessOptions {
  readonly life: SimulatedProcess;
  readonly emit: EngineOptions["emit"];
  readonly stop: EngineOptions["stop"];
  readonly controls: Controls;
  /** Set once the journal is open. */
  readonly operator: { decide?: Controls["decide"] };
}

async function conduct(
  { cluster, disk, found, modules }: Place,
  { runbook, inputs }: Begun,
  process: Process,
): Promise<RunEnd> {
  const { life, emit, stop, id = "run-1", vault = disk.vault } = process;
  const { clock, work } = life;
  for (const [name, text] of Object.entries(process.secrets ?? {})) {
    await vault.put(name, new TextEncoder().encode(text));
  }
  using link = await work.during(() => openModelLink(cluster, life, vault));
  const { journal, history } = await disk.open(
    (store) => life.store(throughAll(store, disk, process)),
    () => new Date(clock.now()),
  );
  const decide: Controls["decide"] = async (record) =>
    history.add(await journal.append(whole(record)));
  process.operator.decide = decide;
  for (const record of process.decisions ?? []) await decide(record);
  const names = await work.during(() =>
    findAll(namesIn(runbook), {
      ...found,
      module: (name) => {
        const own = modules.find((one) => one.name === name);
        return own === undefined
          ? realModule(link)(name)
          : Promise.resolve(own);
      },
    })
  );
  const lease = new ClusterLock({
    kubernetes: link.view.kubernetes,
    run: id,
    operator: "tester@bench",
    clock,
    needed: runbook.requires.needs.includes("kubernetes"),
    claimed: history.lease !== undefined,
    record: async (d) => void await journal.append({ type: "lease", data: d }),
    note: (message) => emit({ type: "note", data: { message } }),
  });
  const { hold = always } = process;
  if (hold === "lease") await lease.look();
  const end = await runRunbook({
    run: id,
    runbook,
    inputs: { ...inputs, ...Object.fromEntries(history.set) },
    clock,
    random: () => 0.5,
    cluster: link.cluster,
    found: {
      ...names,
      module(name) {
        const module = names.module(name);
        return module && heldModule(module, work);
      },
    },
    checks: new Map(
      found.checks.flatMap((name) => {
        const check = found.check(name);
        return check === undefined ? [] : [[name, heldCheck(check, work)]];
      }),
    ),
    journal,
    history,
    lock: hold === "lease" ? lease : hold,
    allowed: new Set(),
    firstFacts: await link.cluster.readFacts(),
    start: { operator: "tester@bench", inputs },
    artifacts: () => work.during(disk.files),
    resources: {
      artifacts: `${disk.folder}/artifacts`,
      vault: {
        ...vault,
        async put(name, value, fingerprint) {
          const handle = await vault.put(name, value, fingerprint);
          await journal.append({ type: "secret", data: { name } });
          return handle;
        },
      },
      ring: link.ring,
    },
    ask: asking(process.answers),
    stop,
    parallel: process.parallel ?? 32,
    ...(process.limit === undefined ? {} : { limit: new Set(process.limit) }),
    emit,
  });
  if (hold === "lease") {
    const ended = { start: {}, instances: history.instances, end };
    await lease.release(!isUnfinished({ history: ended }));
  }
  return end;
}

const always: RunLock = { ensure: () => Promise.resolve(undefined) };

function namesIn({ steps, rescue, always }: Runbook): readonly string[] {
  return [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
}

function asking(answers: ProcessOptions["answers"]): EngineOptions["ask"] {
  if (typeof answers === "function") return answers;
  return ({ tag }: ApprovalRequest) => {
    const approved = typeof answers === "object" ? answers[tag] : answers;
    return Promise.resolve(
      approved === undefined
        ? undefined
        : { approved, by: "tester", how: "flag" },
    );
  };
}

/** The disk of a process, with what a test does to it; the process dies with a record, which is written. */
function throughAll(
  store: JournalStore,
  disk: Disk,
  { killAt = Infinity, onRecord, through, controls }: Process,
): JournalStore {
  let count = disk.journalText().split("\n").length - 1;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const inner = through?.(store) ?? store;
  return {
    async write(bytes) {
      const lines = decoder.decode(bytes).split("\n").slice(0, -1);
      const kept: string[] = [];
      for (const line of lines) {
        // Written by the engine.
        onRecord?.(JSON.parse(line) as JournalRecord, controls);
        kept.push(`${line}\n`);
        if (++count >= killAt) break;
      }
      await inner.write(encoder.encode(kept.join("")));
      if (count >= killAt) controls.kill();
    },
    sync: inner.sync,
  };
}

/** Commands and modules as they are in this program. */
function realModule({ nodes, reopen }: ModelLink): Finders["module"] {
  return makeFinders(entries, { nodes, globals, environment, reopen }).module;
}

const globals: Globals = {
  context: undefined,
  endpoints: [],
  nodes: [],
  osconfig: undefined,
  cluster: undefined,
  osv1KeysDir: undefined,
  nodeTimeout: 30_000,
  noExpiryWarning: true,
  color: "auto",
  verbose: false,
  selector: undefined,
  noPager: true,
};

const sink = {
  terminal: false,
  columns: () => undefined,
  write: () => Promise.resolve(),
};

const environment: Environment = {
  stdout: sink,
  stderr: sink,
  stdin: { terminal: false, readable: new Blob([]).stream() },
  env: () => undefined,
  now: () => new Date("2026-11-20T19:00:00Z"),
  os: "linux",
};
