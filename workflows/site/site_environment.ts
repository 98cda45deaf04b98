/** What reading a directory may use besides its files. */

import type { Environment } from "../../terminal/environment.ts";
import { programRunner, type RunProgram } from "../modules/run_program.ts";

/** Environment of a directory. */
export interface SiteEnvironment {
  /** Value of an environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Operating system: `linux`, `darwin`. */
  readonly os: string;
  /** Runs providers, `sops` and `vals`. */
  readonly runProgram: RunProgram;
  readonly signal: AbortSignal;
  readonly now: () => Date;
}

/** The environment of a directory in a command. */
export function toSiteEnvironment(
  { env, os, now }: Pick<Environment, "env" | "os" | "now">,
  signal: AbortSignal,
): SiteEnvironment {
  return { env, os, now, signal, runProgram: programRunner(env) };
}
