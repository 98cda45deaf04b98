/** Operator of a run, as shown elsewhere. */

import type { Environment } from "../../../terminal/environment.ts";

/** User and host: `alice@laptop`. */
export function findOperator({ env }: Pick<Environment, "env">): string {
  const user = env("USER") ?? env("LOGNAME") ?? env("USERNAME") ?? "unknown";
  return `${user}@${Deno.hostname()}`;
}
