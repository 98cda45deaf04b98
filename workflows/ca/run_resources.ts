/** Resources of a run for modules: files, secrets, and connections. */

import type { NodeClient } from "../../transport/call/client.ts";
import type { SecretHandle, Vault } from "../vault/secrets.ts";

/** Credentials besides the context: handles of PEM texts. */
export interface Credential {
  /** Name in the ring: `transitional`, `final`. */
  readonly name: string;
  /** CAs that may sign a node's certificate, concatenated PEM; not secret. */
  readonly ca: string;
  /** Client certificate, PEM; not secret. */
  readonly crt: string;
  readonly key: SecretHandle;
}

/** The context a run was started with. */
export interface RingHome {
  readonly name: string;
  readonly endpoints: readonly string[];
  /** Nodes of the context, as written. */
  readonly nodes: readonly string[];
  /** Its client configuration; absent if it may not be changed. */
  readonly osconfig?: string | undefined;
}

/** Credentials of the nodes; every connection of a run tries the entries, newest first. */
export interface CredentialRing {
  readonly home: RingHome;
  /** Adds an entry, or replaces the one of that name. */
  readonly add: (credential: Credential) => void;
  /** Names of the entries; the run's own context is `context`. */
  readonly names: () => readonly string[];
  /**
   * Client of a node with one entry only; each call has its own connection.
   *
   * @param direct True to dial the node itself instead of an endpoint.
   * @param trusted Entry whose CAs must have signed the server certificate; default the same.
   */
  readonly at: (
    name: string,
    node: string,
    direct?: boolean,
    trusted?: string,
  ) => Promise<NodeClient>;
}

/** Resources of a run for modules. */
export interface RunResources {
  /** Folder for files of the run. */
  readonly artifacts: string;
  readonly vault: Vault;
  readonly ring: CredentialRing;
}
