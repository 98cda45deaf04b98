/** Operator of a run, as shown elsewhere. */

import { userInfo } from "node:os";
import type { Environment } from "../../../terminal/environment.ts";

/** User and host: `alice@laptop`. */
export function findOperator({ env }: Pick<Environment, "env">): string {
  const user = env("USER") || env("LOGNAME") || env("USERNAME") ||
    accountName();
  return `${user}@${Deno.hostname()}`;
}

/** Name of the account of this process; its number where it has no name, as in many containers. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${Deno.uid()}`;
  }
}
