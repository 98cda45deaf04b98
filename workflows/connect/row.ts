/** What is found out about a connection, one row per stage. */

import type { ConnectCause } from "../../errors.ts";

/** Stages of a connection, in the order they are looked at. */
export type ConnectStage =
  | "context"
  | "client"
  | "dns"
  | "proxy"
  | "tcp"
  | "tls"
  | "mode"
  | "authority"
  | "validity"
  | "usage"
  | "name"
  | "login"
  | "api"
  | "role"
  | "clock"
  | "nodes";

/** One stage. */
export type StageRow =
  | {
    /** Stage that was looked at. */
    readonly stage: ConnectStage;
    /** `skipped`: it does not apply here. */
    readonly result: "ok" | "skipped";
    /** What was seen; lower case first, no period. */
    readonly detail: string;
  }
  | {
    /** Stage that was looked at. */
    readonly stage: ConnectStage;
    /** `warning`: it works, but may not for long or not for everything. */
    readonly result: "warning" | "failed";
    /** What was seen; lower case first, no period. */
    readonly detail: string;
    /** The one cause; `undefined` when the connection is well and only a call failed. */
    readonly cause?: ConnectCause | undefined;
    /** The one next step. */
    readonly next: string;
  };

/** One stage of the connection to one endpoint. */
export type ConnectRow = StageRow & {
  /** `host:port`; empty for what concerns all endpoints. */
  readonly endpoint: string;
};

/**
 * A stage that is well, or does not apply.
 *
 * @param result Default `ok`.
 */
export function passed(
  stage: ConnectStage,
  detail: string,
  result: "ok" | "skipped" = "ok",
): StageRow {
  return { stage, result, detail };
}
