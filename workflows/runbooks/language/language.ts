import { overridableRules } from "../../operations/safety_rules.ts";
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
import { free, type LanguageStruct, listOf, mapOf, struct } from "./shape.ts";

/** Value of `apiVersion`. */
export const apiVersion = "osctl/v1";

/** Value of `kind`. */
const runbookKind = "Runbook";

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

/** Days of the week. */
export const days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** Sort keys of nodes. */
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
    summary: "Versions of osctl that can run it",
  },
  role: { shape: text, summary: "Role the client certificate needs" },
  needs: {
    shape: listOf(oneOf(["kubernetes"]), { alone: true }),
    summary: "What the run depends on: kubernetes is the Kubernetes API",
    initial: "[]",
  },
});

const input = struct("input", {
  type: {
    shape: oneOf(inputTypes),
    summary: "Type of the value",
    required: true,
  },
  required: {
    shape: truth,
    summary: "Whether a value is required",
    initial: "false",
  },
  default: { shape: free, summary: "Default value" },
  values: {
    shape: listOf(text, { filled: true }),
    summary: "Values of an enum",
  },
  pattern: {
    shape: names.pattern,
    summary: "Regular expression the whole text must match",
  },
  min: { shape: free, summary: "Minimum number, count or duration" },
  max: { shape: free, summary: "Maximum number, count or duration" },
  description: { shape: text, summary: "One-line description" },
  mutable: {
    shape: truth,
    summary:
      "Whether its value may be changed on resume; never a version or a target",
    initial: "false",
  },
  format: {
    shape: oneOf(["ca-bundle"]),
    summary: "Format of a secret",
  },
});

/** When disruptions may start. */
export const window = struct("window", {
  days: {
    shape: listOf(oneOf(days), { filled: true, alone: true }),
    summary: "Days on which the window opens",
    required: true,
  },
  from: {
    shape: names.clockTime,
    summary: "Time the window opens",
    required: true,
  },
  to: {
    shape: names.clockTime,
    summary: "Time the window closes; on the next day if before `from`",
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
    summary: "Safety rule to override",
    required: true,
  },
  when: {
    shape: expression,
    summary: "Condition for the override; default always",
  },
  reason: {
    shape: text,
    summary: "Reason, shown in the plan and the approval",
  },
});

const policy = struct("policy", {
  lock: {
    shape: oneOf(["cluster", "none"]),
    summary: "What the run locks; none is for read-only runbooks",
    initial: "cluster",
  },
  deadline: {
    shape: durationOrTemplate,
    summary: "Time limit for the whole run",
  },
  membership: {
    shape: oneOf(["open", "frozen"]),
    summary: "frozen: the run stops if nodes join or leave",
    initial: "open",
  },
  window: {
    shape: listOf(window, { alone: true }),
    summary: "When disruptions may start; those in progress are finished",
    initial: "any time",
  },
  allow: {
    shape: listOf(overridden),
    summary: "Safety rules to override; the operator has to approve",
    initial: "[]",
  },
});

const group = struct("group", {
  role: {
    shape: oneOf(["controlplane", "worker"]),
    summary: "Nodes with this role",
  },
  names: {
    shape: listOf(text, { alone: true }),
    summary: "Nodes with these names",
  },
  labels: {
    shape: mapOf(text, text),
    summary: "Nodes with these labels",
  },
  where: {
    shape: expression,
    summary: "Nodes for which this condition is true",
  },
  from: { shape: names.groupName, summary: "Nodes of this group" },
  union: {
    shape: listOf(names.groupName, { filled: true, alone: true }),
    summary: "Nodes of any of these groups",
  },
  except: {
    shape: listOf(names.groupName, { alone: true }),
    summary: "Excludes the nodes of these groups",
    initial: "[]",
  },
  take: {
    shape: countOrTemplate,
    summary: "Maximum number of nodes, the first in order",
  },
  order: {
    shape: listOf(oneOf(orderKeys), { alone: true }),
    summary: "Sort keys of the nodes",
    initial: "as listed in names or union, else [name]",
  },
  at: {
    shape: oneOf(["plan", "entry"]),
    summary: "entry: evaluated again when a step that uses the group starts",
    initial: "plan",
  },
});

/** A runbook file. */
export const runbook: LanguageStruct = struct("runbook", {
  apiVersion: {
    shape: oneOf([apiVersion]),
    summary: "Version of the runbook language",
    required: true,
  },
  kind: {
    shape: oneOf([runbookKind]),
    summary: "Kind of the document",
    required: true,
  },
  name: {
    shape: names.runbookName,
    summary: "Name of the runbook",
    required: true,
  },
  title: { shape: text, summary: "One-line description", required: true },
  docs: {
    shape: text,
    summary: "Documentation in Markdown, printed by `runbook show`",
  },
  per: {
    shape: oneOf(["cluster", "node"]),
    summary: "node: the runbook can only be used inside a forEach",
    initial: "cluster",
  },
  requires: { shape: requirements, summary: "Requirements of the runbook" },
  inputs: {
    shape: mapOf(names.variableName, input),
    summary: "Inputs, by name",
  },
  vars: {
    shape: mapOf(names.variableName, free),
    summary: "Variables computed once from the inputs, in order",
  },
  policy: {
    shape: policy,
    summary: "Policy of the run: lock, window, deadline, overrides",
  },
  groups: {
    shape: mapOf(names.groupName, group),
    summary: "Groups of nodes, by name",
  },
  steps: {
    shape: listOf(step, { filled: true }),
    summary: "Steps of the runbook, in order",
    required: true,
  },
  rescue: { shape: steps, summary: "Steps to run if a step fails" },
  always: {
    shape: steps,
    summary: "Steps to run at the end, whether or not a step failed",
  },
  outputs: {
    shape: mapOf(names.variableName, free),
    summary:
      "Outputs, shown at the end and available to a runbook that uses this one",
  },
});
