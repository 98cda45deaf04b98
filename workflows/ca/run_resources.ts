/** What modules find in a run: its files, secrets, and connections. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { SecretHandle, Vault } from "../vault/secrets.ts";

/** What nodes can be opened with besides the context: the handles of PEM texts. */
export interface Credential {
  /** Name in the ring: `transitional`, `final`. */
  readonly name: string;
  /** CAs a node may be certified by, PEM, one after the other; not secret. */
  readonly ca: string;
  /** Certificate shown to nodes, PEM; not secret. */
  readonly crt: string;
  readonly key: SecretHandle;
}

/** The context a run was started with. */
export interface RingHome {
  readonly name: string;
  readonly endpoints: readonly string[];
  /** Nodes of the context, as written. */
  readonly nodes: readonly string[];
  /** Client configuration it is in; absent where it may not be changed. */
  readonly osconfig?: string | undefined;
}

/** What opens the nodes; every connection of a run tries the entries, the newest first. */
export interface CredentialRing {
  /** The context the run was started with. */
  readonly home: RingHome;
  /** Adds an entry; one of that name is replaced. */
  readonly add: (credential: Credential) => void;
  /** Entries by name; the context the run was started with is `context`. */
  readonly names: () => readonly string[];
  /**
   * A node, shown one entry only; each call has a connection of its own.
   *
   * @param direct True to dial the node itself instead of going through the endpoints.
   * @param trusted Name of the entry whose CAs the other side has to be certified by; default the same.
   */
  readonly at: (
    name: string,
    node: string,
    direct?: boolean,
    trusted?: string,
  ) => Promise<NodeClient>;
}

/** What modules find in a run. */
export interface RunResources {
  /** Folder for files the run makes. */
  readonly artifacts: string;
  /** Secrets of the run. */
  readonly vault: Vault;
  readonly ring: CredentialRing;
}
