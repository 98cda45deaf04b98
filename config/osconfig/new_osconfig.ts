/** New client configurations, without the library that keeps what people wrote into theirs. */

import type { Osconfig } from "./osconfig.ts";
import { toTree } from "../tree/node.ts";
import { writeTree } from "../tree/write.ts";

/**
 * Writes a configuration that was never read and has one context. Returns `undefined` when there is
 * more to it.
 */
export function renderFresh(
  { current, contexts, source }: Osconfig,
): string | undefined {
  const [first, ...more] = contexts;
  if (source !== undefined || first === undefined || more.length > 0) return;
  const [name, context] = first;
  const { endpoints, nodes, auth, others = [] } = context;
  if (auth !== undefined || others.length > 0) return;
  const written = {
    endpoints,
    nodes: nodes.length > 0 ? nodes : undefined,
    ca: context.ca || undefined,
    crt: context.crt || undefined,
    key: context.key || undefined,
    cluster: context.cluster || undefined,
  };
  return writeTree(toTree({ context: current, contexts: { [name]: written } }));
}
