/** Resources of simulated nodes, read over the wire. */

import { parse } from "yaml";
import type { NodeClient } from "../../transport/call/client.ts";

/**
 * Specs of all resources of a type by their ids.
 *
 * @param type Type without the vendor's domain: `MetaKeys.runtime`.
 * @param namespace Default `runtime`.
 */
export async function specs(
  client: NodeClient,
  type: string,
  namespace = "runtime",
): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  const kind = { namespace, type: `${type}.talos.dev` };
  for await (const { resource } of client.state.list(kind)) {
    const id = resource?.metadata?.id ?? "";
    found[id] = parse(resource?.spec?.yamlSpec ?? "");
  }
  return found;
}
