/** Which configuration a node is to have, and how the node is reached afterwards. */

import type { NodeClient } from "../../transport/call/client.ts";

/** A connection of one's own. */
export interface DialledNode {
  readonly client: NodeClient;
  readonly close: () => void;
}

/** Makes a new connection to a node. `place`: address it answers at; the one it has always had if omitted. */
export type DialNode = (node: string, place?: string) => Promise<DialledNode>;

/** What is wanted of a node, and where it may be. */
export interface DesiredState {
  /** Hash of the configuration from before; null when there was none. */
  readonly from: string | null;
  /** Hash of the configuration that is wanted. */
  readonly wanted: string;
  /** Further addresses it may answer at. */
  readonly places: readonly string[];
  /** True when it does not answer any more where it always did. */
  readonly moves: boolean;
  readonly dial: DialNode;
}
