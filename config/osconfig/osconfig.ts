/** The client configuration: contexts with endpoints, nodes and an identity. */

import type { YamlEntry, YamlMap } from "../yaml/yaml_tree.ts";

interface BasicAuth {
  readonly username: string;
  /** Secret of the user. */
  readonly password: string;
}

interface ProxyIdentity {
  /** Key of the identity in the file, one of `proxyAuthKeys`. */
  readonly key: string;
  /** Identity of the user, usually an email address. */
  readonly identity: string;
}

/** Authentication of a context besides its certificate; read-only. */
export interface ClientAuth {
  readonly basic?: BasicAuth | undefined;
  /** Identity for signed requests. */
  readonly proxy?: ProxyIdentity | undefined;
  /** The original mapping, written back unchanged. */
  readonly tree: YamlMap;
}

/** One way to reach and authenticate to a cluster. */
export interface ClientContext {
  /** Host or host:port, as written; a legacy `target` comes last. */
  readonly endpoints: readonly string[];
  /** Default target nodes; empty if not set. */
  readonly nodes: readonly string[];
  /** Base64 of the CA certificate, PEM. */
  readonly ca?: string | undefined;
  /** Base64 of the client certificate, PEM. */
  readonly crt?: string | undefined;
  /** Base64 of the client's private key, PEM. */
  readonly key?: string | undefined;
  /** Additional authentication, for proxies. */
  readonly auth?: ClientAuth | undefined;
  /** Name of the cluster behind a proxy endpoint. */
  readonly cluster?: string | undefined;
  /** Proxy to the endpoints; `direct` for none, regardless of the environment. */
  readonly proxyUrl?: string | undefined;
  /** Unknown fields, which are kept. */
  readonly others?: readonly YamlEntry[] | undefined;
}

/** A client configuration; immutable. */
export interface Osconfig {
  /** Name of the current context, which may not exist; `""` if not set. */
  readonly current: string;
  /** Contexts by name, in the order of the file. */
  readonly contexts: ReadonlyMap<string, ClientContext>;
  /**
   * Original text. `renderOsconfig` keeps its comments, order and unknown fields, also for copies made by spreading.
   */
  readonly source?: string | undefined;
}

/** A configuration without contexts. */
export const emptyOsconfig: Osconfig = { current: "", contexts: new Map() };
