/** Flags that decide about a run before it is resumed. */

import type { ResumeDecisions } from "../../../workflows/runbooks/run/resume_decisions.ts";
import { type Flag, stringArray, text } from "../../_kit/mod.ts";

/** Declarations of these flags. */
export const decisionFlags: {
  readonly [Name in keyof ResumeDecisions]: Flag<ResumeDecisions[Name]>;
} = {
  skip: stringArray("leave a step out: path, or path@node; needs --reason"),
  redo: stringArray("do a step again: path, or path@node"),
  resolve: stringArray(
    "say what became of a step in doubt: path@node=done, =redo or =skip",
  ),
  dropNode: stringArray(
    "take a node out of the run; it counts as failed; needs --reason",
  ),
  set: stringArray("another value of an input that may change, name=value"),
  reason: text("why; is written down"),
  withRunbook: text(
    "go on by another runbook, in which all steps that were begun are still the same",
    { complete: "files" },
  ),
};
