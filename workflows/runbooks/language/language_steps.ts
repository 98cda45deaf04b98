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
  type Keys,
  type LanguageList,
  type LanguageStruct,
  listOf,
  mapOf,
  struct,
} from "./shape.ts";

const templates = mapOf(text, free);

const backoff = struct("backoff", {
  initial: {
    shape: duration,
    summary: "Delay before the first retry",
    initial: "2s",
  },
  factor: {
    shape: factor,
    summary: "Factor by which the delay grows with each retry",
    initial: "2",
  },
  max: {
    shape: duration,
    summary: "Maximum delay between attempts",
    initial: "1m",
  },
  jitter: {
    shape: oneOf(["full", "none"]),
    summary: "full: wait a random part of the delay",
    initial: "full",
  },
});

const retry = struct("retry", {
  attempts: {
    shape: count,
    summary: "Maximum number of attempts",
    required: true,
  },
  backoff: { shape: backoff, summary: "Delay between attempts" },
  on: {
    shape: listOf(oneOf(errorCodes), { filled: true, alone: true }),
    summary: "Failure codes to retry on",
    initial: "those that the module declares",
  },
}, { short: count });

const until = struct("until", {
  condition: {
    shape: expression,
    summary: "Condition over `result` that ends the loop",
    required: true,
  },
  poll: {
    shape: durationOrTemplate,
    summary: "Polling interval",
    initial: "2s",
  },
  timeout: {
    shape: durationOrTemplate,
    summary: "Time limit for the loop",
    initial: "5m",
  },
});

/** A check of a gate. */
export const gateCheck = struct("gateCheck", {
  check: {
    shape: names.dottedName,
    summary: "Name of a check",
    required: true,
  },
  with: { shape: templates, summary: "Inputs of the check" },
  when: { shape: expression, summary: "Condition; skipped if it is false" },
}, { short: names.dottedName });

const approve = struct("approve", {
  tag: {
    shape: names.tagName,
    summary: "Tag for `--yes=<tag>` and `runbook approve`",
    required: true,
  },
  message: { shape: text, summary: "Question to the operator", required: true },
  destructive: {
    shape: truth,
    summary:
      "Whether the step loses data, so that `--yes` alone does not approve it",
    initial: "false",
  },
  typed: { shape: text, summary: "Word the operator has to type" },
  timeout: {
    shape: durationOrTemplate,
    summary: "How long to wait for an answer, and how long it is valid",
    initial: "24h, 1h when destructive",
  },
});

const assertion = struct("assert", {
  that: {
    shape: expression,
    summary: "Condition that must be true",
    required: true,
  },
  message: { shape: text, summary: "Message if it is false" },
});

const decision = struct("decide", {
  name: {
    shape: names.variableName,
    summary: "Name of the decision, under `decisions`",
    required: true,
  },
  value: { shape: free, summary: "Value of the decision", required: true },
});

const strategy = struct("strategy", {
  batch: {
    shape: listOf(countOrTemplate, { filled: true, alone: true }),
    summary: "Nodes at once; a list is a ramp whose last value repeats",
    initial: "1",
  },
  maxUnavailable: {
    shape: countOrTemplate,
    summary: "Maximum number of unavailable nodes in the group, for any reason",
    initial: "the first batch",
  },
  maxFailures: {
    shape: countOrTemplate,
    summary: "Maximum number of failed nodes",
    initial: "0",
  },
});

const forEach = struct("forEach", {
  nodes: {
    shape: names.groupName,
    summary: "Name of the group",
    required: true,
  },
  strategy: {
    shape: strategy,
    summary: "Rollout strategy: batch size and limits",
  },
}, { short: names.groupName });

/** Common keys of all steps. */
const stepKeys: Keys = {
  id: {
    shape: names.stepId,
    summary: "Id of the step, unique among its siblings",
    required: true,
  },
  title: { shape: text, summary: "One line for people" },
  when: { shape: expression, summary: "Condition; skipped if it is false" },
  onFailure: {
    shape: oneOf(["fail", "continue"]),
    summary: "What happens after a failure",
    initial: "fail",
  },
  pointOfNoReturn: {
    shape: truth,
    summary: "Whether this step is the point of no return",
    initial: "false",
  },
};

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

const handlers: Keys = {
  rescue: { shape: steps, summary: "Steps to run if the block fails" },
  always: {
    shape: steps,
    summary: "Steps to run at the end, whether or not the block failed",
  },
};

/** A step. */
export const step: LanguageStruct = struct("step", stepKeys, {
  verbs: {
    run: {
      run: { shape: names.dottedName, summary: "Module to run" },
      with: { shape: templates, summary: "Inputs of the module" },
      timeout: {
        shape: durationOrTemplate,
        summary: "Timeout for each attempt",
      },
      retry: { shape: retry, summary: "Retry settings" },
      until: {
        shape: until,
        summary: "Repeats a read-only module until a condition is true",
      },
    },
    gate: {
      gate: {
        shape: listOf(gateCheck, { filled: true, alone: true }),
        summary: "Checks that must all pass",
      },
      within: {
        shape: durationOrTemplate,
        summary: "Timeout",
        initial: "5m",
      },
      holdFor: {
        shape: durationOrTemplate,
        summary: "How long the checks must keep passing",
        initial: "0s",
      },
    },
    approve: {
      approve: { shape: approve, summary: "Waits for the operator's approval" },
    },
    assert: {
      assert: { shape: assertion, summary: "Stops if a condition is false" },
    },
    decide: {
      decide: {
        shape: decision,
        summary: "Computes a value once and records it",
      },
    },
    sleep: {
      sleep: { shape: durationOrTemplate, summary: "Duration to sleep" },
    },
    forEach: {
      forEach: {
        shape: forEach,
        summary: "Runs steps for each node of a group",
      },
      steps: {
        shape: work,
        summary: "Steps to run for each node",
        required: true,
      },
      ...handlers,
    },
    block: {
      block: { shape: work, summary: "Groups steps, with error handling" },
      ...handlers,
    },
    use: {
      use: {
        shape: text,
        summary: "Runbook to include: ./file.runbook.yaml or builtin:name",
      },
      with: { shape: templates, summary: "Inputs of that runbook" },
      pass: {
        shape: oneOf(["same-named"]),
        summary:
          "same-named passes inputs of the same name on; `with` takes precedence",
      },
    },
  },
});
