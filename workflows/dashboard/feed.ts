/** Feeds of the dashboard, each open only while the screen needs it. */

import type { NodeClient } from "../../transport/call/client.ts";

/** Parameters of a feed. */
export interface FeedContext<T> {
  /** The node; calls end with {@linkcode FeedContext.signal}. */
  readonly client: NodeClient;
  /** Any node of the cluster, over the same connections. */
  readonly at: (node: string) => Promise<NodeClient>;
  readonly nodes: readonly string[];
  /** Aborts when nothing on the screen needs the feed. */
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  /** The present, in milliseconds since 1970. */
  readonly now: () => number;
  /** Last value from an earlier use of the feed; absent for none. */
  readonly before: T | undefined;
  /** Reports that a stream is disconnected and will be retried; the next value shows that it is back. */
  readonly lost: (error: unknown) => void;
}

/** Values of one kind from one node. */
export interface Feed<T> {
  /** Identifies the feed among those of a node. */
  readonly name: string;
  /** True when its last value is large, and is dropped when no longer needed. */
  readonly isLarge?: true;
  /**
   * Opens it. It yields values until the signal aborts; after an error it is reopened with a delay.
   */
  readonly open: (context: FeedContext<T>) => AsyncIterable<T>;
}

/** A feed of a node, needed by the screen. */
export interface Need {
  /** The node; empty for this machine. */
  readonly node: string;
  // Feeds of all types meet here.
  // deno-lint-ignore no-explicit-any
  readonly feed: Feed<any>;
}

/** State of a feed of a node. */
export interface Reading<T> {
  /** Last value; absent before the first. */
  readonly value?: T;
  /** Reason why there is no newer value; absent if there is one. */
  readonly problem?: string;
  /** Time since the last value was requested, in milliseconds, if it is late; absent if it is not. */
  readonly lateMs?: number;
  /** True when the node is unreachable, false when the problem is its response. */
  readonly isAway?: boolean;
}

/** Data of pages. */
export interface DashboardData {
  /** State of a feed of a node; an empty reading before its first value. */
  readonly of: <T>(node: string, feed: Feed<T>) => Reading<T>;
}

/** Timeout for each request to a node, in milliseconds. */
export const deadlineMs = 5_000;
