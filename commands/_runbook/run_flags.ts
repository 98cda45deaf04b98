import {
  duration,
  type Flag,
  InputProblem,
  integer,
  stringArray,
  text,
  toggle,
} from "../_kit/mod.ts";
import { allTags } from "../../workflows/runbooks/run/approvals.ts";
import type { RunSettings } from "../../workflows/runbooks/run/run_session.ts";

type RunFlags = Omit<RunSettings, "allowCommands" | "output">;

/** Declaration of `--allow-commands`. */
export const allowCommandsFlag: Flag<boolean> = toggle(
  "allow command steps to run programs on this machine",
);

export const runFlags: {
  readonly [Name in keyof RunFlags]: Flag<RunFlags[Name]>;
} = {
  yes: {
    ...stringArray(
      "approve everything that is not destructive; with =tag,tag only those approvals",
    ),
    short: "y",
    bare: allTags,
    parse: (value, before = []) => [
      ...before,
      ...value.split(",").map((tag) => tag.trim()),
    ],
  },
  yesDestructive: {
    ...stringArray(
      "approve a destructive step: tag:word to type; repeatable",
    ),
    parse(value, before = []) {
      if (/^[^:]+:./.test(value)) return [...before, value];
      throw new InputProblem('must be "tag:word to type"');
    },
  },
  parallel: integer(
    "maximum number of nodes at once for steps that are not disruptive",
    {
      initial: 32,
      least: 1,
      most: 1024,
    },
  ),
  grace: duration("time for nodes to reach a safe point after SIGTERM", {
    initial: "25s",
  }),
  detach: toggle("keep running when the terminal is closed"),
  eventsFile: text("write events to this file, one JSON object per line", {
    complete: "files",
  }),
  junit: text("write a JUnit XML report to this file", {
    complete: "files",
  }),
  vaultKey: text(
    "vault key file, created if missing; $OSCTL_VAULT_PASSPHRASE takes precedence",
    { complete: "files", shown: "a file next to the runs" },
  ),
};

/** Declaration of `--vault-key` for commands that do not create one. */
export const keptVaultKey: Flag<string | undefined> = text(
  "vault key file; $OSCTL_VAULT_PASSPHRASE takes precedence",
  { complete: "files", shown: "a file next to the runs" },
);

/** Declaration of `--supersede`. */
export const supersedeFlag: Flag<string | undefined> = text(
  "id of an unfinished run to supersede; the results of its calls must be known",
  { complete: "runs" },
);

/** Declarations of the flags that add comments to the configurations a run changes. */
export const commentFlags = {
  withDocs: toggle(
    "in configurations that change, document keys that have no comment",
  ),
  withExamples: toggle(
    "in configurations that change, show keys that are not set as comments",
  ),
} satisfies Readonly<Record<string, Flag<boolean>>>;
