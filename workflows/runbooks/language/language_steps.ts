import { errorCodes } from "../../operations/change.ts";
import * as names from "./names.ts";
import {
  count,
  countOrTemplate,
  duration,
  durationOrTemplate,
  expression,
  factor,
  oneOf,
  text,
  truth,
} from "./scalars.ts";
import {
  free,
  type LanguageList,
  type LanguageStruct,
  mapOf,
  struct,
} from "./shape.ts";
import { keys, parseStruct } from "./key_table.ts";

const errorCode = oneOf(errorCodes);
const templates = mapOf(text, free);

const backoff = parseStruct("backoff")`
  initial | ${duration}      | Delay before the first retry | 2s
  factor  | ${factor}        | Factor by which the delay grows with each retry | 2
  max     | ${duration}      | Maximum delay between attempts | 1m
  jitter  | oneOf(full none) | full: wait a random part of the delay | full
`;

const retry = parseStruct("retry", { short: count })`
  attempts | ${count}, required | Maximum number of attempts
  backoff  | ${backoff}         | Delay between attempts
  on       | some(${errorCode}) | Failure codes to retry on | those that the module declares
`;

const until = parseStruct("until")`
  condition | ${expression}, required | Condition over \`result\` that ends the loop
  poll      | ${durationOrTemplate}   | Polling interval | 2s
  timeout   | ${durationOrTemplate}   | Time limit for the loop | 5m
`;

/** A check of a gate. */
export const gateCheck = parseStruct("gateCheck", { short: names.dottedName })`
  check | ${names.dottedName}, required | Name of a check
  with  | ${templates}                  | Inputs of the check
  when  | ${expression}                 | Condition; skipped if it is false
`;

const approve = parseStruct("approve")`
  tag         | ${names.tagName}, required | Tag for \`--yes=<tag>\` and \`runbook approve\`
  message     | ${text}, required          | Question to the operator
  destructive | ${truth}                   | Whether the step loses data, so that \`--yes\` alone does not approve it | false
  typed       | ${text}                    | Word the operator has to type
  timeout     | ${durationOrTemplate}      | How long to wait for an answer, and how long it is valid | 24h, 1h when destructive
`;

const assertion = parseStruct("assert")`
  that    | ${expression}, required | Condition that must be true
  message | ${text}                 | Message if it is false
`;

const decision = parseStruct("decide")`
  name  | ${names.variableName}, required | Name of the decision, under \`decisions\`
  value | ${free}, required               | Value of the decision
`;

const strategy = parseStruct("strategy")`
  batch          | some(${countOrTemplate}) | Nodes at once; a list is a ramp whose last value repeats | 1
  maxUnavailable | ${countOrTemplate}       | Maximum number of unavailable nodes in the group, for any reason | the first batch
  maxFailures    | ${countOrTemplate}       | Maximum number of failed nodes | 0
`;

const forEach = parseStruct("forEach", { short: names.groupName })`
  nodes    | ${names.groupName}, required | Name of the group
  strategy | ${strategy}                  | Rollout strategy: batch size and limits
`;

/** Common keys of all steps. */
const stepKeys = keys`
  id              | ${names.stepId}, required | Id of the step, unique among its siblings
  title           | ${text}                   | One line for people
  when            | ${expression}             | Condition; skipped if it is false
  onFailure       | oneOf(fail continue)      | What happens after a failure | fail
  pointOfNoReturn | ${truth}                  | Whether this step is the point of no return | false
`;

/** Steps; may be empty. */
export const steps: LanguageList = {
  shape: "list",
  get of() {
    return step;
  },
};

const work: LanguageList = {
  shape: "list",
  filled: true,
  get of() {
    return step;
  },
};

const handlers = keys`
  rescue | ${steps} | Steps to run if the block fails
  always | ${steps} | Steps to run at the end, whether or not the block failed
`;

/** A step. */
export const step: LanguageStruct = struct("step", stepKeys, {
  verbs: {
    run: keys`
  run     | ${names.dottedName}   | Module to run
  with    | ${templates}          | Inputs of the module
  timeout | ${durationOrTemplate} | Timeout for each attempt
  retry   | ${retry}              | Retry settings
  until   | ${until}              | Repeats a read-only module until a condition is true
`,
    gate: keys`
  gate    | some(${gateCheck})    | Checks that must all pass
  within  | ${durationOrTemplate} | Timeout | 5m
  holdFor | ${durationOrTemplate} | How long the checks must keep passing | 0s
`,
    approve: keys`approve | ${approve} | Waits for the operator's approval`,
    assert: keys`assert | ${assertion} | Stops if a condition is false`,
    decide: keys`decide | ${decision} | Computes a value once and records it`,
    sleep: keys`sleep | ${durationOrTemplate} | Duration to sleep`,
    forEach: keys`
  forEach | ${forEach}        | Runs steps for each node of a group
  steps   | ${work}, required | Steps to run for each node
  ...${handlers}
`,
    block: keys`
  block | ${work} | Groups steps, with error handling
  ...${handlers}
`,
    use: keys`
  use  | ${text}           | Runbook to include: ./file.runbook.yaml or builtin:name
  with | ${templates}      | Inputs of that runbook
  pass | oneOf(same-named) | same-named passes inputs of the same name on; \`with\` takes precedence
`,
  },
});
