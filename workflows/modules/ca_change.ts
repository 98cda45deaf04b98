/** `ca.accept`, `ca.issue`, `ca.drop`: changes of a node's trust list. */

import {
  caAccept,
  caDrop,
  caIssue,
  type RotationInput,
  type RotationOperation,
} from "./ca_rotation_steps.ts";
import type { ValueFields } from "../runbook_cel/field.ts";
import type { Module } from "./module.ts";
import { addedComments, commentsField } from "./configuration_comments.ts";
import { kindField, readKind } from "./ca_kind.ts";
import {
  type ModuleInput,
  readChoice,
  readHandle,
} from "../runbook_cel/values.ts";

const caField: ValueFields = {
  ca: {
    type: "secret",
    required: true,
    summary: "The new CA",
  },
};

/** Accepts the new CA besides the old one. */
export const accept: Module = changing(
  caAccept,
  "Make a node accept the new CA",
  { ...caField, ...commentsField },
);

/** Makes the new CA the issuing CA; the old one stays accepted. */
export const issue: Module = changing(
  caIssue,
  "Make the new CA the issuing CA of a node",
  {
    ...caField,
    keepAccepted: {
      type: "enum",
      values: ["old"],
      initial: "old",
      summary: "CAs that remain accepted",
    },
  },
);

/** Removes an accepted CA. */
export const drop: Module = changing(
  caDrop,
  "Remove a CA from the accepted CAs of a node",
  {
    which: {
      type: "enum",
      values: ["old", "new"],
      required: true,
      summary:
        "CA to remove: the old one at the end, or the new one to roll back",
    },
  },
);

function changing(
  operation: RotationOperation,
  summary: string,
  fields: ValueFields,
): Module {
  const { name } = operation;
  return {
    kind: "change",
    name,
    summary,
    scope: "node",
    input: { kind: kindField, ...fields },
    output: {},
    retryable: ["unavailable", "deadline", "not-started"],
    widenable: ["unauthenticated"],
    timeout: "5m",
    operation,
    prepare: (_, values) => ({ input: toInput(values, name === "ca.drop") }),
  };
}

function toInput(values: ModuleInput, drops: boolean): RotationInput {
  return {
    kind: readKind(values),
    ca: readHandle(values, "ca")?.secret ?? null,
    which: drops ? readChoice(values, "which", ["old", "new"]) : null,
    comments: addedComments(values),
  };
}
