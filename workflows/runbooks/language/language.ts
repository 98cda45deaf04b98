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
import { parseStruct } from "./key_table.ts";
import { free, type LanguageStruct } from "./shape.ts";

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

const day = oneOf(days);
const inputType = oneOf(inputTypes);
const orderKey = oneOf(orderKeys);
const overridableRule = oneOf(overridableRules);

const requirements = parseStruct("requires")`
  osctl | ${names.range}           | Versions of osctl that can run it
  role  | ${text}                  | Role the client certificate needs
  needs | alone(oneOf(kubernetes)) | What the run depends on: kubernetes is the Kubernetes API | []
`;

const input = parseStruct("input")`
  type        | ${inputType}, required | Type of the value
  required    | ${truth}               | Whether a value is required | false
  default     | ${free}                | Default value
  values      | filled(${text})        | Values of an enum
  pattern     | ${names.pattern}       | Regular expression the whole text must match
  min         | ${free}                | Minimum number, count or duration
  max         | ${free}                | Maximum number, count or duration
  description | ${text}                | One-line description
  mutable     | ${truth}               | Whether its value may be changed on resume; never a version or a target | false
  format      | oneOf(ca-bundle)       | Format of a secret
`;

/** When disruptions may start. */
export const window = parseStruct("window")`
  days | some(${day}), required       | Days on which the window opens
  from | ${names.clockTime}, required | Time the window opens
  to   | ${names.clockTime}, required | Time the window closes; on the next day if before \`from\`
  zone | ${names.timeZone}, required  | Time zone of both times
`;

const overridden = parseStruct("allow")`
  rule   | ${overridableRule}, required | Safety rule to override
  when   | ${expression}                | Condition for the override; default always
  reason | ${text}                      | Reason, shown in the plan and the approval
`;

const policy = parseStruct("policy")`
  lock       | oneOf(cluster none)   | What the run locks; none is for read-only runbooks | cluster
  deadline   | ${durationOrTemplate} | Time limit for the whole run
  membership | oneOf(open frozen)    | frozen: the run stops if nodes join or leave | open
  window     | alone(${window})      | When disruptions may start; those in progress are finished | any time
  allow      | list(${overridden})   | Safety rules to override; the operator has to approve | []
`;

const group = parseStruct("group")`
  role   | oneOf(controlplane worker) | Nodes with this role
  names  | alone(${text})             | Nodes with these names
  labels | map(${text} ${text})       | Nodes with these labels
  where  | ${expression}              | Nodes for which this condition is true
  from   | ${names.groupName}         | Nodes of this group
  union  | some(${names.groupName})   | Nodes of any of these groups
  except | alone(${names.groupName})  | Excludes the nodes of these groups | []
  take   | ${countOrTemplate}         | Maximum number of nodes, the first in order
  order  | alone(${orderKey})         | Sort keys of the nodes | as listed in names or union, else [name]
  at     | oneOf(plan entry)          | entry: evaluated again when a step that uses the group starts | plan
`;

/** A runbook file. */
export const runbook: LanguageStruct = parseStruct("runbook")`
  apiVersion | oneOf(${apiVersion}), required      | Version of the runbook language
  kind       | oneOf(${runbookKind}), required     | Kind of the document
  name       | ${names.runbookName}, required      | Name of the runbook
  title      | ${text}, required                   | One-line description
  docs       | ${text}                             | Documentation in Markdown, printed by \`runbook show\`
  per        | oneOf(cluster node)                 | node: the runbook can only be used inside a forEach | cluster
  requires   | ${requirements}                     | Requirements of the runbook
  inputs     | map(${names.variableName} ${input}) | Inputs, by name
  vars       | map(${names.variableName} ${free})  | Variables computed once from the inputs, in order
  policy     | ${policy}                           | Policy of the run: lock, window, deadline, overrides
  groups     | map(${names.groupName} ${group})    | Groups of nodes, by name
  steps      | filled(${step}), required           | Steps of the runbook, in order
  rescue     | ${steps}                            | Steps to run if a step fails
  always     | ${steps}                            | Steps to run at the end, whether or not a step failed
  outputs    | map(${names.variableName} ${free})  | Outputs, shown at the end and available to a runbook that uses this one
`;
