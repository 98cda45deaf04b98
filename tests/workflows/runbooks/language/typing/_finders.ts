/** Modules and checks as the runbooks of tests name them. */

import type { Check } from "../../../../../workflows/checks/check.ts";
import type { ValueFields } from "../../../../../workflows/runbook_cel/field.ts";
import type { Finders } from "../../../../../workflows/runbooks/language/lookup.ts";
import { loadRunbook } from "../../../../../workflows/runbooks/language/loading/load.ts";
import {
  RunbookError,
  sourceProblemText,
} from "../../../../../workflows/runbooks/language/problem.ts";
import type { Module } from "../../../../../workflows/modules/module.ts";
import type { Runbook } from "../../../../../workflows/runbooks/runbook.ts";
import { checkRunbook } from "../../../../../workflows/runbooks/language/typing/check_runbook.ts";
import { field, object } from "../../../runbook_cel/_scope.ts";

function never(): never {
  throw new Error("Nothing is run");
}

const text = field("string");
const list = field("list");
const secret = field("secret");
const counted: ValueFields = { ok: field("int"), total: field("int") };
const certificates: ValueFields = { kind: text, ca: secret, via: secret };

type Shape = readonly [
  scope: "node" | "cluster",
  input: ValueFields,
  output?: ValueFields,
];

const modules: Readonly<Record<string, Shape>> = {
  "ca.accept": ["node", certificates],
  "ca.drop": ["node", { ...certificates, which: text }],
  "ca.generate": ["cluster", { kind: text, use: secret }, { ca: secret }],
  "ca.issue": ["node", { ...certificates, keepAccepted: text }],
  "ca.report": ["cluster", { group: text }],
  "ca.verify": ["cluster", {
    kind: text,
    group: text,
    server: text,
    // A credential of the run, or one of its names.
    client: field("any", { items: secret }),
    routes: list,
    expect: text,
  }, counted],
  "config.backup": ["node", { to: text }],
  "etcd.assess": ["cluster", {}, { quorum: field("bool") }],
  "etcd.bootstrapFromSnapshot": ["node", {
    file: field("path", { required: true }),
    skipHashCheck: field("bool"),
  }],
  "etcd.chooseSource": ["cluster", {
    file: field("path"),
    candidates: field("map", {
      items: object({ file: field("path"), revision: field("int") }),
    }),
  }, {
    file: field("path"),
    verified: field("bool"),
    salvaged: field("bool"),
    takenAt: field("timestamp"),
    revision: field("int"),
  }],
  "etcd.copyDatabase": ["node", { artifact: text }, {
    file: field("path"),
    revision: field("int"),
  }],
  "etcd.forfeitLeadership": ["node", {}],
  "etcd.snapshot": ["cluster", { artifact: text }],
  "image.pull": ["node", { image: field("string", { required: true }) }],
  "k8s.listStaleTrust": ["cluster", {}],
  "kubeconfig.fetch": ["cluster", { to: text }],
  "node.collectSupport": ["node", {}],
  "node.cordon": ["node", {}],
  "node.drain": ["node", {}],
  "node.reboot": ["node", {
    mode: field("enum", { values: ["default", "force"] }),
  }, { bootId: text }],
  "node.resetEphemeral": ["node", {
    graceful: field("bool"),
    reboot: field("bool"),
  }],
  "node.rollback": ["node", {}],
  "node.uncordon": ["node", { only: text }],
  "node.verifyVersion": ["node", {
    version: field("semver", { required: true }),
    sameSchematic: field("bool"),
  }],
  "talosconfig.issue": ["cluster", { ca: secret, role: text }, {
    transitional: secret,
    final: secret,
  }],
  "talosconfig.write": ["cluster", {
    path: field("path", { required: true }),
    config: secret,
    keepPrevious: field("bool"),
  }],
  "upgrade.install": ["node", { image: text }],
  "upgrade.legacy": ["node", { image: text }],
  "vault.export": ["cluster", { path: field("path"), what: list }],
};

function findModule(name: string): Module | undefined {
  const shape = modules[name];
  if (shape === undefined) return undefined;
  const [scope, input, output = {}] = shape;
  return {
    name,
    summary: "For tests",
    scope,
    input,
    output,
    retryable: ["unavailable", "deadline", "registry", "not-started"],
    kind: "read",
    read: never,
  };
}

const group: ValueFields = { group: text };

const checks: Readonly<Record<string, Shape>> = {
  "ca.allServe": ["cluster", { ...group, kind: text, ca: text }],
  "ca.noRotationInProgress": ["cluster", {}],
  "cluster.health": ["cluster", {}],
  "etcd.memberHealthy": ["node", {}],
  "etcd.membersEqualControlPlane": ["cluster", {
    ...group,
    learners: field("int"),
  }],
  "etcd.noAlarms": ["cluster", {}],
  "etcd.noMembersAnywhere": ["cluster", group],
  "etcd.quorum": ["cluster", {}],
  "etcd.servicePreparing": ["node", {}],
  "k8s.apiReachable": ["cluster", { trust: text }],
  "k8s.nodeReady": ["node", {}],
  "node.kubeletHealthy": ["node", {}],
  "node.ready": ["node", {}],
  "node.services": ["node", {}],
  "nodes.allReachable": ["cluster", group],
  "nodes.membershipUnchanged": ["cluster", {}],
  "nodes.noInitType": ["cluster", {}],
  "nodes.timeInSync": ["cluster", group],
  "nodes.version": ["cluster", { ...group, version: field("semver") }],
  "upgrade.imageIdentity": ["cluster", {
    image: text,
    version: field("semver"),
  }],
  "upgrade.kernelArgsKept": ["cluster", {}],
  "upgrade.path": ["cluster", {
    to: field("semver"),
    maxMinorStep: field("int"),
  }],
};

function findCheck(name: string): Check | undefined {
  const shape = checks[name];
  if (shape === undefined) return undefined;
  const [scope, input] = shape;
  return { name, summary: "For tests", scope, input, run: never };
}

/** Everything the runbooks of tests name. */
export const finders: Finders = {
  module: (name) => Promise.resolve(findModule(name)),
  modules: Object.keys(modules),
  check: findCheck,
  checks: Object.keys(checks),
};

/** Files by path. */
export type Files = Readonly<Record<string, string>>;

/**
 * Loads `a.yaml` out of some files, without a look at its expressions.
 *
 * @param files Texts by path; a text alone is that of `a.yaml`.
 */
export async function load(files: Files | string): Promise<Runbook> {
  const all: Files = typeof files === "string" ? { "a.yaml": files } : files;
  const read = (path: string) => Promise.resolve(all[path]);
  const loaded = await loadRunbook("a.yaml", { find: finders, read });
  return loaded.runbook;
}

export async function problems(
  files: Files | string,
): Promise<readonly string[]> {
  const all: Files = typeof files === "string" ? { "a.yaml": files } : files;
  const read = (path: string) => Promise.resolve(all[path]);
  try {
    await loadRunbook("a.yaml", { find: finders, read, check: checkRunbook });
    return [];
  } catch (error) {
    if (!(error instanceof RunbookError)) throw error;
    return error.problems.map(sourceProblemText);
  }
}
