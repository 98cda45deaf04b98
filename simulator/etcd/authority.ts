/** Authority of a node's etcd, as its configuration has it. */

import { cursorOf } from "../../config/documents/cursor.ts";
import { loadDocuments, mainKind } from "../../config/documents/load.ts";
import type { EncodedAuthority } from "../../config/generate/secrets.ts";
import type { Authority } from "../../pki/certificate.ts";
import { inRealTime } from "../clock/clock.ts";
import type { SimulatedNode } from "../node/node.ts";
import { authorityIn } from "../node/trust.ts";

/** Authorities that were read, by the configuration or the secrets they stand in. */
const known = new WeakMap<
  SimulatedNode | SimulatedNode["cluster"],
  { readonly from: unknown; readonly authority: Promise<Authority> }
>();

/**
 * Finds the authority of a control plane's etcd.
 *
 * @throws {ConfigError} When its configuration has none.
 */
export function authorityOfEtcd(node: SimulatedNode): Promise<Authority> {
  const { cluster } = node;
  const configuration = node.boot.liveConfiguration ?? node.disk.configuration;
  const owner = configuration === undefined ? cluster : node;
  const from = configuration ?? cluster.secrets;
  const before = known.get(owner);
  if (before?.from === from) return before.authority;
  const authority = authorityIn(
    configuration === undefined
      ? cluster.secrets.certs.etcd
      : encodedIn(configuration),
  );
  known.set(owner, { from, authority });
  return inRealTime(node.clock, authority);
}

function encodedIn(configuration: string): EncodedAuthority {
  const { documents } = loadDocuments(configuration, "config.yaml");
  const main = documents.find(({ kind }) => kind === mainKind);
  const cursor = cursorOf(main?.root ?? { kind: "map", entries: [] });
  const ca = cursor.get("cluster", "etcd", "ca");
  return { crt: ca.get("crt").text() ?? "", key: ca.get("key").text() ?? "" };
}
