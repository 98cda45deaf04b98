/** New client configurations, without the YAML library that preserves comments. */

import type { Osconfig } from "./osconfig.ts";
import { toTree } from "../tree/node.ts";
import { writeTree } from "../tree/write.ts";

/** Formats a new configuration with one context. Returns `undefined` for any other. */
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
