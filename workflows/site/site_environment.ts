/** What reading a directory may use besides its files. */

import type { SecretEnvironment } from "../../config/sops/resolve.ts";
import { programRunner } from "../../lib/run_program.ts";
import type { Environment } from "../../terminal/environment.ts";

/** Environment of a directory; programs are its providers, `sops` and `vals`. */
export type SiteEnvironment = SecretEnvironment;

/** The environment of a directory in a command. */
export function toSiteEnvironment(
  { env, os, now }: Pick<Environment, "env" | "os" | "now">,
  signal: AbortSignal,
): SiteEnvironment {
  return { env, os, now, signal, runProgram: programRunner(env) };
}
