/** Every key of a runbook. */

import { overridableRules } from "../runbook.ts";
import { step, steps } from "./language_steps.ts";
import * as names from "./names.ts";
import {
  countOrTemplate,
  durationOrTemplate,
  expression,
  oneOf,
  text,
  truth,
} from "./scalars.ts";
import { free, listOf, mapOf, struct, type StructShape } from "./shape.ts";

/** Value of `apiVersion`. */
export const apiVersion = "osctl/v1";

/** Value of `kind`. */
export const runbookKind = "Runbook";

/** Types an input may have. */
export const inputTypes = [
  "string",
  "int",
  "bool",
  "duration",
  "semver",
  "enum",
  "countOrPercent",
  "path",
  "node",
  "nodes",
  "secret",
] as const;

/** Days as they are written. */
export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Keys nodes are put in order by. */
export const orderKeys = [
  "name",
  "zone",
  "zoneRoundRobin",
  "version",
  "etcdLeaderLast",
] as const;

const requirements = struct("requires", {
  osctl: {
    shape: names.range,
    summary: "Versions of this client that can run it",
  },
  role: { shape: text, summary: "Role the client certificate needs" },
  needs: {
    shape: listOf(oneOf(["kubernetes"]), { alone: true }),
    summary: "What the run cannot do without: kubernetes is its API",
    initial: "[]",
  },
});

const input = struct("input", {
  type: {
    shape: oneOf(inputTypes),
    summary: "Kind of value",
    required: true,
  },
  required: {
    shape: truth,
    summary: "Whether it has to be given",
    initial: "false",
  },
  default: { shape: free, summary: "Value when none is given" },
  values: {
    shape: listOf(text, { filled: true }),
    summary: "Words of an enum",
  },
  pattern: {
    shape: names.pattern,
    summary: "Regular expression the text has to match as a whole",
  },
  min: { shape: free, summary: "Least number, count or duration" },
  max: { shape: free, summary: "Greatest number, count or duration" },
  description: { shape: text, summary: "One line for people" },
  mutable: {
    shape: truth,
    summary: "Whether resume may change it; never a version or a target",
    initial: "false",
  },
  format: {
    shape: oneOf(["ca-bundle"]),
    summary: "What a secret holds",
  },
});

const window = struct("window", {
  days: {
    shape: listOf(oneOf(days), { filled: true, alone: true }),
    summary: "Days on which it begins",
    required: true,
  },
  from: { shape: names.clockTime, summary: "Time it begins", required: true },
  to: {
    shape: names.clockTime,
    summary: "Time it ends, on the next day when before `from`",
    required: true,
  },
  zone: {
    shape: names.timeZone,
    summary: "Time zone of both times",
    required: true,
  },
});

const overridden = struct("allow", {
  rule: {
    shape: oneOf(overridableRules),
    summary: "Safety rule that is overridden",
    required: true,
  },
  when: { shape: expression, summary: "Only then; always when absent" },
  reason: { shape: text, summary: "Why, for the plan and the approval" },
});

const policy = struct("policy", {
  lock: {
    shape: oneOf(["cluster", "none"]),
    summary: "What is locked; none is for runbooks that only read",
    initial: "cluster",
  },
  deadline: {
    shape: durationOrTemplate,
    summary: "Longest time for the whole run",
  },
  membership: {
    shape: oneOf(["open", "frozen"]),
    summary: "frozen stops the run when nodes join or leave",
    initial: "open",
  },
  window: {
    shape: listOf(window, { alone: true }),
    summary: "When disruptions may begin; those under way are finished",
    initial: "any time",
  },
  allow: {
    shape: listOf(overridden),
    summary: "Safety rules that are overridden; the operator is asked",
    initial: "[]",
  },
});

const group = struct("group", {
  role: {
    shape: oneOf(["controlplane", "worker"]),
    summary: "Only nodes of this role",
  },
  names: {
    shape: listOf(text, { alone: true }),
    summary: "Only these nodes",
  },
  labels: {
    shape: mapOf(text, text),
    summary: "Only nodes with these labels",
  },
  where: { shape: expression, summary: "Only nodes for which it holds" },
  from: { shape: names.groupName, summary: "Only nodes of this group" },
  union: {
    shape: listOf(names.groupName, { filled: true, alone: true }),
    summary: "Nodes of any of these groups",
  },
  except: {
    shape: listOf(names.groupName, { alone: true }),
    summary: "Without the nodes of these groups",
    initial: "[]",
  },
  take: {
    shape: countOrTemplate,
    summary: "Only the first so many, in the order",
  },
  order: {
    shape: listOf(oneOf(orderKeys), { alone: true }),
    summary: "Order of the nodes, the first key first",
    initial: "as listed in names or union, else [name]",
  },
  at: {
    shape: oneOf(["plan", "entry"]),
    summary: "entry resolves it anew when a step that names it starts",
    initial: "plan",
  },
});

/** A whole file. */
export const runbook: StructShape = struct("runbook", {
  apiVersion: {
    shape: oneOf([apiVersion]),
    summary: "Version of the language",
    required: true,
  },
  kind: {
    shape: oneOf([runbookKind]),
    summary: "Kind of file",
    required: true,
  },
  name: {
    shape: names.runbookName,
    summary: "Name in lists and reports",
    required: true,
  },
  title: { shape: text, summary: "One line for people", required: true },
  docs: { shape: text, summary: "Markdown that `runbook show` prints" },
  per: {
    shape: oneOf(["cluster", "node"]),
    summary: "node makes it a part that only stands inside a forEach",
    initial: "cluster",
  },
  requires: { shape: requirements, summary: "What has to be there" },
  inputs: {
    shape: mapOf(names.variableName, input),
    summary: "What the operator gives, by name",
  },
  vars: {
    shape: mapOf(names.variableName, free),
    summary: "Values computed once from the inputs, in order",
  },
  policy: { shape: policy, summary: "Limits of the run" },
  groups: {
    shape: mapOf(names.groupName, group),
    summary: "Sets of nodes, by name",
  },
  steps: {
    shape: listOf(step, { filled: true }),
    summary: "The work",
    required: true,
  },
  rescue: { shape: steps, summary: "Steps when the work fails" },
  always: { shape: steps, summary: "Steps at the end in any case" },
  outputs: {
    shape: mapOf(names.variableName, free),
    summary: "Values shown at the end and given to the runbook that uses it",
  },
});
