/** What the dashboard asks nodes for: feeds, each open only while something on the screen needs it. */

import type { NodeClient } from "../../transport/call/client.ts";

/** What a feed is given. */
export interface FeedContext<T> {
  /** The node; calls end with {@linkcode FeedContext.signal}. */
  readonly client: NodeClient;
  /** Any node of the cluster, over the same connections. */
  readonly at: (node: string) => Promise<NodeClient>;
  readonly nodes: readonly string[];
  /** Aborts when nothing on the screen needs the feed any more. */
  readonly signal: AbortSignal;
  readonly pause: () => Promise<void>;
  /** The present, in milliseconds since 1970. */
  readonly now: () => number;
  /** Last value of the feed, from when it was open before; absent for none. */
  readonly before: T | undefined;
  /** Reports that a stream is lost, and tried again; the next value says that it is back. */
  readonly lost: (error: unknown) => void;
}

/** Values of one kind from one node. */
export interface Feed<T> {
  /** Tells the feeds of a node apart. */
  readonly name: string;
  /** True when its last value is dropped with the need for it, since it is large. */
  readonly isLarge?: true;
  /**
   * Opens it. Values come until the signal aborts; what it throws ends it, and it is opened again after a while.
   */
  readonly open: (site: FeedContext<T>) => AsyncIterable<T>;
}

/** A feed of a node that something on the screen needs. */
export interface Need {
  /** The node; empty for this machine. */
  readonly node: string;
  /** The feed. */
  // Feeds of all types meet here.
  // deno-lint-ignore no-explicit-any
  readonly feed: Feed<any>;
}

/** What is known of a feed of a node. */
export interface Reading<T> {
  /** Last value; absent before the first. */
  readonly value?: T;
  /** Why there is no newer one; absent when there is. */
  readonly problem?: string;
  /** True when the node cannot be reached, false when it answered with the problem. */
  readonly isAway?: boolean;
}

/** What pages are drawn from. */
export interface DashboardData {
  /** What is known of a feed of a node; an empty reading for nothing yet. */
  readonly of: <T>(node: string, feed: Feed<T>) => Reading<T>;
}

/** Longest time for one answer of a node, in milliseconds. */
export const deadlineMs = 5_000;
