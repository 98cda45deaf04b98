/** Calls that have no answer yet, for whoever says what is waited for. */

/** A call without an answer. */
export interface OpenCall {
  /** Node as it was named; empty for the endpoint itself. */
  readonly node: string;
  /** True when a connection carries it. */
  isConnected: boolean;
}

/** Calls of this process without an answer, the oldest first. */
export const openCalls: Set<OpenCall> = new Set();
