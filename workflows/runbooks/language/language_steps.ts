/** Every key of a step. */

import { errorCodes } from "../runbook.ts";
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
  listOf,
  type ListShape,
  mapOf,
  struct,
  type StructShape,
} from "./shape.ts";

const templates = mapOf(text, free);

const backoff = struct("backoff", {
  initial: {
    shape: duration,
    summary: "Time before the second attempt",
    initial: "2s",
  },
  factor: { shape: factor, summary: "How much longer each time", initial: "2" },
  max: { shape: duration, summary: "Longest time between two", initial: "1m" },
  jitter: {
    shape: oneOf(["full", "none"]),
    summary: "full waits a random part of that time",
    initial: "full",
  },
});

const retry = struct("retry", {
  attempts: { shape: count, summary: "How often in all", required: true },
  backoff: { shape: backoff, summary: "Time between two attempts" },
  on: {
    shape: listOf(oneOf(errorCodes), { filled: true, alone: true }),
    summary: "Failures after which it is tried again",
    initial: "those the module names",
  },
}, { short: count });

const until = struct("until", {
  condition: {
    shape: expression,
    summary: "What has to hold, over `result`",
    required: true,
  },
  poll: {
    shape: durationOrTemplate,
    summary: "Time between two looks",
    initial: "2s",
  },
  timeout: {
    shape: durationOrTemplate,
    summary: "Longest time for all of it",
    initial: "5m",
  },
});

const gateCheck = struct("gateCheck", {
  check: {
    shape: names.dottedName,
    summary: "Name of a check",
    required: true,
  },
  with: { shape: templates, summary: "What the check takes" },
  when: { shape: expression, summary: "Only then" },
}, { short: names.dottedName });

const approve = struct("approve", {
  tag: {
    shape: names.tagName,
    summary: "Name for `--yes=<tag>` and `runbook approve`",
    required: true,
  },
  message: { shape: text, summary: "What is asked", required: true },
  destructive: {
    shape: truth,
    summary: "Whether `--yes` alone is not enough",
    initial: "false",
  },
  typed: { shape: text, summary: "What has to be typed" },
  timeout: {
    shape: durationOrTemplate,
    summary: "How long the answer is waited for, and holds",
    initial: "24h, 1h when destructive",
  },
});

const assertion = struct("assert", {
  that: { shape: expression, summary: "What has to hold", required: true },
  message: { shape: text, summary: "What is said otherwise" },
});

const decision = struct("decide", {
  name: {
    shape: names.variableName,
    summary: "Name under `decisions`",
    required: true,
  },
  value: { shape: free, summary: "The value", required: true },
});

const strategy = struct("strategy", {
  batch: {
    shape: listOf(countOrTemplate, { filled: true, alone: true }),
    summary: "Nodes at once; a list is a ramp, whose last value repeats",
    initial: "1",
  },
  maxUnavailable: {
    shape: countOrTemplate,
    summary: "Nodes of the group that may be away, for any reason",
    initial: "the first batch",
  },
  maxFailures: {
    shape: countOrTemplate,
    summary: "Nodes that may fail",
    initial: "0",
  },
});

const forEach = struct("forEach", {
  nodes: {
    shape: names.groupName,
    summary: "Name of the group",
    required: true,
  },
  strategy: { shape: strategy, summary: "How many at once" },
}, { short: names.groupName });

/** Keys every step may have. */
const stepKeys: Keys = {
  id: {
    shape: names.stepId,
    summary: "Name, unique among its siblings",
    required: true,
  },
  title: { shape: text, summary: "One line for people" },
  when: { shape: expression, summary: "Only then" },
  onFailure: {
    shape: oneOf(["fail", "continue"]),
    summary: "What a failure does to what comes after",
    initial: "fail",
  },
  pointOfNoReturn: {
    shape: truth,
    summary: "Whether there is no way back behind it",
    initial: "false",
  },
};

/** Steps, maybe none. */
export const steps: ListShape = {
  shape: "list",
  get of() {
    return step;
  },
};

const work: ListShape = {
  shape: "list",
  filled: true,
  get of() {
    return step;
  },
};

const handlers: Keys = {
  rescue: { shape: steps, summary: "Steps when it fails" },
  always: { shape: steps, summary: "Steps at its end in any case" },
};

/** A step. */
export const step: StructShape = struct("step", stepKeys, {
  verbs: {
    run: {
      run: { shape: names.dottedName, summary: "Name of a module" },
      with: { shape: templates, summary: "What the module takes" },
      timeout: {
        shape: durationOrTemplate,
        summary: "Longest time of one attempt",
      },
      retry: { shape: retry, summary: "When it is tried again" },
      until: {
        shape: until,
        summary: "Repeats a module that only reads",
      },
    },
    gate: {
      gate: {
        shape: listOf(gateCheck, { filled: true, alone: true }),
        summary: "Checks that must all hold",
      },
      within: {
        shape: durationOrTemplate,
        summary: "Longest wait",
        initial: "5m",
      },
      holdFor: {
        shape: durationOrTemplate,
        summary: "How long it must hold without a break",
        initial: "0s",
      },
    },
    approve: { approve: { shape: approve, summary: "Waits for a human" } },
    assert: {
      assert: { shape: assertion, summary: "Stops when it does not hold" },
    },
    decide: {
      decide: { shape: decision, summary: "Computes a value once" },
    },
    sleep: { sleep: { shape: durationOrTemplate, summary: "Waits so long" } },
    forEach: {
      forEach: { shape: forEach, summary: "Runs steps for every node" },
      steps: {
        shape: work,
        summary: "What a node walks through",
        required: true,
      },
      ...handlers,
    },
    block: {
      block: { shape: work, summary: "Steps with error handling" },
      ...handlers,
    },
    use: {
      use: {
        shape: text,
        summary: "Another runbook: ./file.runbook.yaml or builtin:name",
      },
      with: { shape: templates, summary: "Its inputs" },
      pass: {
        shape: oneOf(["same-named"]),
        summary: "Hands over inputs with equal names; `with` wins",
      },
    },
  },
});
