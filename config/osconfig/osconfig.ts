/** The client configuration: contexts with endpoints, nodes and an identity. */

import type { YamlEntry, YamlMap } from "../yaml/yaml_tree.ts";

interface BasicAuth {
  readonly username: string;
  /** Secret of the user. */
  readonly password: string;
}

interface ProxyIdentity {
  /** Key the identity is written under, one of `proxyAuthKeys`. */
  readonly key: string;
  /** Identity of the user, usually a mail address. */
  readonly identity: string;
}

/** How a context authenticates beside its certificate; read-only. */
export interface ClientAuth {
  readonly basic?: BasicAuth | undefined;
  /** Identity for signed requests. */
  readonly proxy?: ProxyIdentity | undefined;
  /** The mapping as it was read, which is what is written back. */
  readonly tree: YamlMap;
}

/** One way to reach and authenticate to a cluster. */
export interface ClientContext {
  /** Host or host:port, as written; a legacy `target` comes last. */
  readonly endpoints: readonly string[];
  /** Default target nodes; empty when not set. */
  readonly nodes: readonly string[];
  /** Base64 of the PEM bytes of the CA's certificate. */
  readonly ca?: string | undefined;
  /** Base64 of the PEM bytes of the client's certificate. */
  readonly crt?: string | undefined;
  /** Base64 of the PEM bytes of the client's private key. */
  readonly key?: string | undefined;
  /** Further authentication, for proxies. */
  readonly auth?: ClientAuth | undefined;
  /** Name of the cluster behind a proxy endpoint. */
  readonly cluster?: string | undefined;
  /** Proxy to the endpoints; `direct` for none, whatever the environment says. */
  readonly proxyUrl?: string | undefined;
  /** Fields that are not known here; they are kept. */
  readonly others?: readonly YamlEntry[] | undefined;
}

/** A whole client configuration; values, never changed in place. */
export interface Osconfig {
  /** Name of the current context, which need not exist; `""` when none is set. */
  readonly current: string;
  /** Contexts by name, in the order of the file. */
  readonly contexts: ReadonlyMap<string, ClientContext>;
  /**
   * Text it was read from. Its comments, order and unknown fields are kept by
   * `renderOsconfig`, so copies made by spreading keep them too.
   */
  readonly source?: string | undefined;
}

/** A configuration without contexts. */
export const emptyOsconfig: Osconfig = { current: "", contexts: new Map() };
