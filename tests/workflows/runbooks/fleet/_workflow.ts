/**
 * A workflow as the controller of Argo 3.7 runs it, by what its manifest says and nothing else; pods are played by whoever
 * asks for it. The order of the rules is that of the controller.
 */

import { Environment } from "@marcbachmann/cel-js";
import { parseNanoseconds } from "../../../../config/documents/scalars/duration.ts";
import type { Clock } from "../../../../simulator/clock/clock.ts";
import { type Locks, makeLocks, makeSlots, type Slots } from "./_argo_locks.ts";
import type { Manifest, Parameter, Step, Template } from "./_argo_manifest.ts";

/** A pod that is to be played. */
export interface Pod {
  /** Template it is made from. */
  readonly template: string;
  /** Its cluster; empty for a pod of all clusters. */
  readonly cluster: string;
  readonly attempt: number;
  /** Image. */
  readonly image: string;
  /** Command and arguments. */
  readonly words: readonly string[];
  /** Environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly PodMount[];
  /** Time from SIGTERM to SIGKILL, in seconds. */
  readonly graceSeconds: number;
  /** Time at which the kubelet ends it, in milliseconds since 1970; absent for never. */
  readonly deadline?: number;
}

/** A mounted volume. */
export interface PodMount {
  /** Path in the pod. */
  readonly path: string;
  readonly volume: string;
  /** Folder in it; empty for all of it. */
  readonly folder: string;
}

export type PodEnd =
  | { readonly phase: "Succeeded" }
  | {
    readonly phase: "Failed";
    /** Status of the container; absent when nobody knows it. */
    readonly exitCode?: number;
    readonly message?: string;
  }
  /** It is gone before anybody has seen its end. */
  | { readonly phase: "Deleted" };

/** A pod in the status of the workflow. */
export interface Attempt {
  /** Phase. */
  readonly phase: "Succeeded" | "Failed" | "Error";
  /** Exit code, -1 when there is none. */
  readonly exitCode: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A cluster in the status of the workflow. */
export interface ClusterNode {
  /** Name of the step. */
  readonly step: string;
  /** The cluster. */
  readonly cluster: string;
  /** True when it is done. */
  readonly succeeded: boolean;
  /** Reason for a false result; empty otherwise. */
  readonly message: string;
  /** Its pods since the workflow was submitted or retried. */
  readonly attempts: readonly Attempt[];
}

export interface WorkflowEnd {
  /** Phase. */
  readonly phase: "Succeeded" | "Failed";
  /** Clusters in the order in which they ended. */
  readonly clusters: readonly ClusterNode[];
  readonly report: PodEnd;
}

export interface WorkflowOptions {
  /** Its id. */
  readonly uid: string;
  /** Time. */
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** Plays a pod until it ends. */
  readonly play: (pod: Pod) => Promise<PodEnd>;
  /** Waits until a suspended step is resumed; default at once. */
  readonly resumed?: (step: string) => Promise<void>;
  /** Locks of the namespace; default its own. */
  readonly locks?: Locks;
}

/** A submitted workflow. */
export interface SubmittedWorkflow {
  /**
   * Runs it to its end: `argo submit`; later `argo retry`, which keeps what has succeeded.
   *
   * @param parameters Values that replace others from now on: `argo retry -p`.
   */
  readonly run: (
    parameters?: Readonly<Record<string, string>>,
  ) => Promise<WorkflowEnd>;
}

/** Values by the names between `{{` and `}}`. */
type Scope = Readonly<Record<string, string>>;

/** Grace of a pod whose manifest names none, in seconds. */
const usualGrace = 30;

/** Submits a workflow. `manifest`: what `runbook render` writes. */
export function submit(
  manifest: unknown,
  options: WorkflowOptions,
): SubmittedWorkflow {
  const { spec } = manifest as Manifest; // other tests check its shape
  const { uid, clock, play, resumed = () => Promise.resolve() } = options;
  const locks = options.locks ?? makeLocks();
  let globals: Scope = {
    "workflow.uid": uid,
    ...toScope(spec.arguments.parameters),
  };
  /** Steps that have succeeded; `argo retry` keeps them. */
  const kept = new Set<string>();

  async function runStep(
    step: Step,
    item: string | undefined,
    deadline: number,
    slots: Slots,
  ): Promise<ClusterNode | undefined> {
    const name = item === undefined ? step.name : `${step.name}(${item})`;
    if (kept.has(name)) return undefined;
    const template = findTemplate(spec, step.template);
    if (template.suspend !== undefined) {
      await resumed(step.name);
      kept.add(name);
      return undefined;
    }
    const outer: Scope = item === undefined ? globals : { ...globals, item };
    const scope: Scope = {
      ...outer,
      ...Object.fromEntries(
        (step.arguments?.parameters ?? []).map((one) => [
          `inputs.parameters.${one.name}`,
          substitute(one.value, outer),
        ]),
      ),
    };
    const names = (template.synchronization?.mutexes ?? [])
      .map((mutex) => substitute(mutex.name, scope));
    const result = await locks.within(
      names,
      () =>
        runPods(template, {
          clock,
          deadline,
          slots,
          play: (attempt) =>
            play(makePod(spec, template, scope, { attempt, deadline })),
        }),
    );
    if (result.succeeded) kept.add(name);
    const cluster = scope["inputs.parameters.cluster"] ?? "";
    return { step: step.name, cluster, ...result };
  }

  return {
    async run(parameters = {}) {
      const given = Object.entries(parameters);
      globals = {
        ...globals,
        ...toScope(given.map(([name, value]) => ({ name, value }))),
      };
      const deadline = clock.now() + spec.activeDeadlineSeconds * 1_000;
      const { steps = [], parallelism } = findTemplate(spec, spec.entrypoint);
      const slots = makeSlots(parallelism ?? Infinity);
      const clusters: ClusterNode[] = [];
      let isGood = true;
      for (const group of steps) {
        if (!isGood) break;
        // A group follows when all of the one before have succeeded.
        await Promise.all(
          group.flatMap((step) =>
            listItems(step, globals).map(async (item) => {
              const node = await runStep(step, item, deadline, slots);
              if (node === undefined) return;
              clusters.push(node);
              isGood &&= node.succeeded;
            })
          ),
        );
      }
      const report = await play(
        makePod(spec, findTemplate(spec, spec.onExit), globals, { attempt: 1 }),
      );
      return {
        phase: isGood && report.phase === "Succeeded" ? "Succeeded" : "Failed",
        clusters,
        report,
      };
    },
  };
}

function findTemplate(spec: Manifest["spec"], wanted: string): Template {
  const found = spec.templates.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`There is no template ${wanted}`);
  return found;
}

function makePod(
  spec: Manifest["spec"],
  template: Template,
  scope: Scope,
  about: Pick<Pod, "attempt" | "deadline">,
): Pod {
  const { name, container, podSpecPatch = "{}" } = template;
  if (container === undefined) throw new Error(`${name} has no container`);
  const text = (value: string) => substitute(value, scope);
  const patch: { readonly terminationGracePeriodSeconds?: number } = JSON
    .parse(podSpecPatch);
  return {
    template: name,
    cluster: scope["inputs.parameters.cluster"] ?? "",
    image: text(container.image),
    words: [...container.command, ...container.args].map(text),
    env: Object.fromEntries(
      (container.env ?? []).map((one) => [one.name, text(one.value)]),
    ),
    mounts: container.volumeMounts.map((mount) => ({
      path: mount.mountPath,
      volume: findVolume(spec, mount.name),
      folder: text(mount.subPath ?? ""),
    })),
    graceSeconds: patch.terminationGracePeriodSeconds ?? usualGrace,
    ...about,
  };
}

/** Runs the pods of one node until one succeeds, or the retry strategy has enough. */
async function runPods(
  template: Template,
  { clock, deadline, slots, play }: {
    readonly clock: WorkflowOptions["clock"];
    readonly deadline: number;
    readonly slots: Slots;
    /** Plays the pod of an attempt, from 1. */
    readonly play: (attempt: number) => Promise<PodEnd>;
  },
): Promise<Pick<ClusterNode, "succeeded" | "message" | "attempts">> {
  const attempts: Attempt[] = [];
  while (true) {
    const attempt = attempts.length + 1;
    const end = await slots.within(async () => {
      const startedAt = clock.now();
      // A pod without time left is never made.
      if (startedAt >= deadline) return undefined;
      return { startedAt, ...await play(attempt) };
    });
    if (end === undefined) {
      return { succeeded: false, message: "no time left", attempts };
    }
    attempts.push({
      phase: end.phase === "Deleted" ? "Error" : end.phase,
      exitCode: end.phase === "Failed" ? String(end.exitCode ?? -1) : "-1",
      startedAt: end.startedAt,
      endedAt: clock.now(),
    });
    if (end.phase === "Succeeded") {
      return { succeeded: true, message: "", attempts };
    }
    const verdict = await afterAttempts(template, attempts, clock, deadline);
    if (verdict !== "again") {
      return { succeeded: false, message: verdict, attempts };
    }
  }
}

async function afterAttempts(
  { retryStrategy: strategy }: Template,
  attempts: readonly Attempt[],
  clock: WorkflowOptions["clock"],
  deadline: number,
): Promise<string> {
  const [first, last] = [attempts[0]!, attempts.at(-1)!]; // there is one
  if (strategy === undefined) return "no retry strategy";
  if (clock.now() >= deadline) return "retry exceeded workflow deadline";
  const { limit, retryPolicy, expression, backoff } = strategy;
  const latest = first.startedAt + parseMilliseconds(backoff.maxDuration);
  if (clock.now() > latest) return "Max duration limit exceeded";
  const waitMs = parseMilliseconds(backoff.duration);
  if (last.endedAt + waitMs > latest) {
    return "Backoff would exceed max duration limit";
  }
  const isLeft = attempts.length <= Number(limit);
  // It waits before it looks whether there is something to wait for.
  if (isLeft) await clock.sleep(waitMs);
  const isMeant = retryPolicy === "Always" ||
    retryPolicy === (last.phase === "Error" ? "OnError" : "OnFailure");
  if (!isMeant) return "retryPolicy";
  if (!isLeft) return "No more retries left";
  return isTrue(expression, last)
    ? "again"
    : "retryStrategy.expression evaluated to false";
}

function toScope(parameters: readonly Parameter[]): Scope {
  return Object.fromEntries(
    parameters.map(({ name, value }) => [`workflow.parameters.${name}`, value]),
  );
}

function listItems(
  { withParam }: Step,
  scope: Scope,
): readonly (string | undefined)[] {
  return withParam === undefined
    ? [undefined]
    : JSON.parse(substitute(withParam, scope));
}

function substitute(text: string, scope: Scope): string {
  return text.replaceAll(/\{\{(.+?)\}\}/g, (_, name: string) => {
    const value = scope[name];
    if (value === undefined) throw new Error(`Nothing is known of ${name}`);
    return value;
  });
}

function findVolume({ volumes }: Manifest["spec"], wanted: string): string {
  const { name: _, ...source } = volumes.find(({ name }) => name === wanted) ??
    { name: wanted };
  const [[kind, names] = []] = Object.entries(source);
  const [name] = Object.values(names as Readonly<Record<string, string>>);
  return `${kind}/${name}`;
}

function parseMilliseconds(text: string): number {
  return Number(parseNanoseconds(text)) / 1e6;
}

/** Such expressions mean the same in CEL as in the language that Argo has. */
const language = new Environment().registerVariable("lastRetry", "map");

function isTrue(expression: string, last: Attempt): boolean {
  const { exitCode, phase, startedAt, endedAt } = last;
  const duration = String((endedAt - startedAt) / 1_000);
  const lastRetry = { exitCode, status: phase, duration, message: "" };
  const value: unknown = language.evaluate(expression, { lastRetry });
  if (typeof value !== "boolean") throw new Error(`${expression}: ${value}`);
  return value;
}
