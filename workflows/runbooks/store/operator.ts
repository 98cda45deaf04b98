/** Who runs something, for those who look at it from elsewhere. */

import type { Environment } from "../../../terminal/environment.ts";

/** User and host: `alice@laptop`. */
export function findOperator({ env }: Pick<Environment, "env">): string {
  const user = env("USER") ?? env("LOGNAME") ?? env("USERNAME") ?? "unknown";
  return `${user}@${Deno.hostname()}`;
}
