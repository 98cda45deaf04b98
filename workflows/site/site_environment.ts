/** What reading a directory may use besides its files. */

import type { RunProgram } from "../modules/run_program.ts";

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
