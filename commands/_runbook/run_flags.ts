/** Flags of the commands that carry a run out. */

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

/** Values of these flags. */
export type RunFlags = Omit<RunSettings, "allowCommands" | "output">;

/** Declaration of `--allow-commands`. */
export const allowCommandsFlag: Flag<boolean> = toggle(
  "let steps of the module command run programs on this machine",
);

/** Declarations of these flags. */
export const runFlags: {
  readonly [Name in keyof RunFlags]: Flag<RunFlags[Name]>;
} = {
  yes: {
    ...stringArray(
      "approve without asking all that loses no data; with =tag,tag only these",
    ),
    bare: allTags,
    parse: (value, before = []) => [
      ...before,
      ...value.split(",").map((tag) => tag.trim()),
    ],
  },
  yesDestructive: {
    ...stringArray(
      "approve what loses data: tag:what has to be typed; repeatable",
    ),
    parse(value, before = []) {
      if (/^[^:]+:./.test(value)) return [...before, value];
      throw new InputProblem('must be "tag:what has to be typed"');
    },
  },
  parallel: integer("nodes at once for steps that disturb nobody", {
    initial: 32,
    least: 1,
    most: 1024,
  }),
  grace: duration("time to reach a safe point after SIGTERM", {
    initial: "25s",
  }),
  detach: toggle("go on when the terminal is closed"),
  eventsFile: text("file events are written to, one JSON object on each line", {
    complete: "files",
  }),
  junit: text("file the report is written to for CI systems, JUnit's XML", {
    complete: "files",
  }),
  vaultKey: text(
    "file with the key of the run's secrets, made when it is missing; $OSCTL_VAULT_PASSPHRASE wins",
    { complete: "files", shown: "one beside the runs" },
  ),
};

/** Declaration of `--vault-key` of what makes none. */
export const keptVaultKey: Flag<string | undefined> = text(
  "file with the key of the run's secrets; $OSCTL_VAULT_PASSPHRASE wins",
  { complete: "files", shown: "one beside the runs" },
);

/** Declaration of `--supersede`. */
export const supersedeFlag: Flag<string | undefined> = text(
  "id of the unfinished run whose place is taken; what it has sent must have ended",
  { complete: "runs" },
);
