/** Desired configuration of a node, and how to reach the node afterwards. */

import type { NodeClient } from "../../transport/call/client.ts";

/** A dedicated connection. */
export interface DialledNode {
  readonly client: NodeClient;
  readonly close: () => void;
}

/** Opens a new connection to a node. `place`: its address; default the current one. */
export type DialNode = (node: string, place?: string) => Promise<DialledNode>;

/** Desired configuration of a node, and its possible addresses. */
export interface DesiredState {
  /** Hash of the previous configuration; null if there was none. */
  readonly from: string | null;
  /** Hash of the desired configuration. */
  readonly wanted: string;
  /** Further addresses of the node. */
  readonly places: readonly string[];
  /** True when its current address changes. */
  readonly moves: boolean;
  readonly dial: DialNode;
}
