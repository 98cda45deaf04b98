/** Injectable clock. */
export interface OperationClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Waits; resolves early when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}
