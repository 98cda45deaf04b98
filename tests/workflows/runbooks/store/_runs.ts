/** Folders of runs as the engine leaves them. */

import type {
  Runbook,
  Step,
  VerbOf,
} from "../../../../workflows/runbooks/runbook.ts";
import type { RunEvent } from "../../../../workflows/runbooks/event.ts";
import { eventsPath } from "../../../../workflows/runbooks/store/event_file.ts";
import { createRun } from "../../../../workflows/runbooks/store/run_folder.ts";
import { type NewRecord, whole } from "../_records.ts";

const place = { file: "demo.runbook.yaml", line: 1, column: 1 };

function step(id: string, verb: VerbOf, rest: Partial<Step> = {}): Step {
  const head = {
    id,
    onFailure: "fail",
    pointOfNoReturn: false,
    place,
  } as const;
  return { ...head, ...rest, ...verb } as Step; // of the same verb
}

const inner = {
  v: 1,
  per: "cluster",
  requires: { needs: [] },
  inputs: {},
  vars: [],
  policy: { lock: "cluster", membership: "open", window: [], allow: [] },
  steps: [],
  rescue: [],
  always: [],
  outputs: {},
  place,
} as const;

const group = { except: [], order: ["name"], at: "plan", place } as const;

function forEach(nodes: string, steps: readonly Step[]): VerbOf {
  const strategy = { batch: 1, maxFailures: 0 };
  return { verb: "forEach", nodes, strategy, steps, rescue: [], always: [] };
}

/** Two questions, workers, and a runbook that is used for control planes. */
export const demo: Runbook = {
  ...inner,
  name: "demo",
  title: "Restart everything",
  groups: { workers: group, late: { ...group, at: "entry" } },
  steps: [
    step("snapshot", { verb: "run", module: "etcd.snapshot", with: {} }),
    step("go", {
      verb: "approve",
      tag: "start",
      message: "Restart 3 nodes?",
      destructive: false,
    }),
    step(
      "workers",
      forEach("workers", [
        step("drain", { verb: "run", module: "node.drain", with: {} }),
        step("restart", { verb: "run", module: "node.reboot", with: {} }),
      ]),
    ),
    step("more", {
      verb: "block",
      steps: [step("late", forEach("late", []))],
      rescue: [],
      always: [],
    }),
    step("planes", {
      verb: "use",
      with: {},
      runbook: {
        ...inner,
        name: "planes",
        title: "Control planes",
        groups: { all: group },
        steps: [
          step("each", forEach("all", [])),
          step("wipe", {
            verb: "approve",
            tag: "wipe",
            message: "Lose all data of cp-1?",
            destructive: true,
            typed: "cp-1",
          }),
        ],
      },
    }),
  ],
};

/** First record of a run of {@linkcode demo}. */
export const started: NewRecord = {
  type: "run.start",
  data: {
    groups: { "#workers": ["w-1", "w-2", "w-3"], "planes#all": ["cp-1"] },
    members: ["cp-1", "w-1", "w-2", "w-3"],
  },
};

export interface RunOptions {
  /** Id; default `20261120-7k2f`. */
  readonly id?: string;
  /** Start, ISO 8601; each record comes a second later. Default 19:30 on that day. */
  readonly at?: string;
  /** Records; default its start. */
  readonly records?: readonly NewRecord[];
  readonly events?: readonly RunEvent[];
  /** Name of the runbook; default `demo`. */
  readonly runbook?: string;
  /** Id and name of the cluster; default `prod`. */
  readonly cluster?: string;
  /** Context it was started with; default `prod`. */
  readonly context?: string;
  /** Key of an outer engine. */
  readonly key?: string;
}

/**
 * Makes the folder of a run that no process has.
 *
 * @param runs Folder of all runs.
 * @returns Its path.
 */
export async function makeRun(
  runs: string,
  {
    id = "20261120-7k2f",
    at = "2026-11-20T19:30:00.000Z",
    records = [started],
    events = [],
    runbook = demo.name,
    cluster = "prod",
    context = "prod",
    key,
  }: RunOptions = {},
): Promise<string> {
  // The hash of the header is recorded as it begins.
  let ms = Date.parse(at) - 1_000;
  using run = await createRun(
    runs,
    {
      id,
      runbook,
      source: "demo.runbook.yaml",
      files: {},
      inputs: {},
      context,
      cluster: { id: cluster, name: cluster },
      operator: "eve@desk",
      version: "1.0.0",
      at,
      ...key === undefined ? {} : { key },
    },
    { ...demo, name: runbook },
    [],
    () => new Date(ms += 1_000),
  );
  for (const record of records) await run.journal.append(whole(record));
  if (events.length > 0) {
    const lines = events.map((event) => `${JSON.stringify(event)}\n`);
    await Deno.writeTextFile(eventsPath(run.folder), lines.join(""));
  }
  return run.folder;
}

/**
 * Holds a run as the process that resumes it does.
 *
 * @param folder Its folder.
 */
export async function holdRun(folder: string): Promise<Disposable> {
  // A lock is one of an open file, so one process can play both parts.
  const file = await Deno.open(`${folder}/lock`, { write: true, create: true });
  await file.lock(true);
  return { [Symbol.dispose]: () => file.close() };
}
