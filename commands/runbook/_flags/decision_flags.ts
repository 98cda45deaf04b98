/** Flags that decide about a run before it is resumed. */

import type { ResumeDecisions } from "../../../workflows/runbooks/run/resume_decisions.ts";
import { type Flag, stringArray, text } from "../../_kit/mod.ts";

/** Declarations of these flags. */
export const decisionFlags: {
  readonly [Name in keyof ResumeDecisions]: Flag<ResumeDecisions[Name]>;
} = {
  skip: stringArray("skip a step: path, or path@node; needs --reason"),
  redo: stringArray("repeat a step: path, or path@node"),
  resolve: stringArray(
    "resolve a step in doubt: path@node=done, =redo or =skip",
  ),
  dropNode: stringArray(
    "drop a node from the run; it counts as failed; needs --reason",
  ),
  set: stringArray("new value of a mutable input, name=value"),
  reason: text("reason, recorded with the run"),
  withRunbook: text(
    "resume with a corrected runbook, in which all started steps are unchanged",
    { complete: "files" },
  ),
};
