/** Modules and checks that runbooks of tests name. */

import type { Check } from "../../../../workflows/checks/check.ts";
import type {
  AnyOperation,
  Effect,
  Idempotency,
} from "../../../../workflows/operations/operation.ts";
import type { Finders } from "../../../../workflows/runbooks/language/lookup.ts";
import {
  type LoadOptions,
  loadRunbook,
} from "../../../../workflows/runbooks/language/loading/load.ts";
import {
  RunbookError,
  type SourceProblem,
  sourceProblemText,
} from "../../../../workflows/runbooks/language/problem.ts";
import type {
  Module,
  ModuleHead,
} from "../../../../workflows/modules/module.ts";
import type { Runbook } from "../../../../workflows/runbooks/runbook.ts";

function never(): never {
  throw new Error("Loading runs nothing");
}

function reading(name: string, more: Partial<ModuleHead> = {}): Module {
  return { kind: "read", read: never, ...head(name, more) };
}

function changing(
  name: string,
  [effect, idempotency]: readonly [Effect, Idempotency],
  more: Partial<ModuleHead> = {},
): Module {
  const operation: AnyOperation = {
    name,
    effect,
    idempotency,
    quorum: () => "none",
    observe: never,
    plan: never,
    key: never,
    apply: never,
    reconcile: never,
    verify: never,
  };
  return { kind: "change", operation, prepare: never, ...head(name, more) };
}

function head(name: string, more: Partial<ModuleHead>): ModuleHead {
  return {
    name,
    summary: "For tests",
    scope: "node",
    input: {},
    output: {},
    retryable: ["unavailable"],
    widenable: ["deadline"],
    ...more,
  };
}

const modules: readonly Module[] = [
  reading("etcd.status", { scope: "cluster" }),
  reading("etcd.snapshot", {
    scope: "cluster",
    input: {
      artifact: { type: "string", summary: "File", required: true },
      within: { type: "duration", summary: "Time" },
      count: { type: "int", summary: "Count" },
      mode: { type: "enum", values: ["fast", "safe"], summary: "Mode" },
      group: { type: "string", summary: "Group" },
      key: { type: "secret", summary: "Key" },
      parts: {
        type: "list",
        summary: "Parts",
        items: {
          type: "object",
          summary: "Part",
          fields: { size: { type: "int", summary: "Size", required: true } },
        },
      },
    },
  }),
  changing("node.cordon", ["write", "converge"]),
  changing("node.reboot", ["disrupt", "keyed"]),
  changing("upgrade.install", ["disrupt", "once"], {
    retryable: ["not-started"],
  }),
];

function check(name: string, scope: "node" | "cluster"): Check {
  const group = { type: "string", summary: "Group" } as const;
  return { name, summary: "For tests", scope, input: { group }, run: never };
}

const checks: readonly Check[] = [
  check("cluster.health", "cluster"),
  check("node.ready", "node"),
];

/** A few modules and checks of each kind. */
export const finders: Finders = {
  module: (name) => Promise.resolve(modules.find((one) => one.name === name)),
  modules: modules.map(({ name }) => name),
  check: (name) => checks.find((one) => one.name === name),
  checks: checks.map(({ name }) => name),
};

/** Files by path, as `loadRunbook` reads them. */
export type Files = Readonly<Record<string, string>>;

/** Loads `a.yaml` out of some files. */
export async function load(
  files: Files,
  options: Partial<LoadOptions> = {},
): Promise<Runbook> {
  const read = (path: string) => Promise.resolve(files[path]);
  // Expressions are checked elsewhere; those of these tests name what is not there.
  const check = () => [];
  const loaded = await loadRunbook("a.yaml", {
    find: finders,
    read,
    check,
    ...options,
  });
  return loaded.runbook;
}

/** Problems of `a.yaml`, one line each; none if it is valid. */
export async function problems(
  files: Files | string,
  options: Partial<LoadOptions> = {},
): Promise<readonly string[]> {
  try {
    await load(
      typeof files === "string" ? { "a.yaml": files } : files,
      options,
    );
    return [];
  } catch (error) {
    if (!(error instanceof RunbookError)) throw error;
    return error.problems.map((one: SourceProblem) => sourceProblemText(one));
  }
}

/** A runbook with these lines behind its head, which has four. */
export function book(...lines: readonly string[]): string {
  const top = [
    "apiVersion: osctl/v1",
    "kind: Runbook",
    "name: test",
    "title: A test",
  ];
  return [...top, ...lines, ""].join("\n");
}

/** A step that is always right. */
export const anyStep = "steps: [{ id: a, run: etcd.status }]";
