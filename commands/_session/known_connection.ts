import { clientIdentity } from "../../config/osconfig/client_identity.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError, UsageError } from "../../errors.ts";
import { parseFingerprint } from "../../pki/fingerprint.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import type { ContextCheck } from "../_doctor/check_context.ts";
import type { Context, Globals } from "../_kit/mod.ts";
import type { MaintenanceInputs } from "../_kit/node_inputs.ts";
import { openSigner } from "../_kit/signing.ts";
import { chosenContext, contextProxy } from "./osconfig.ts";

/**
 * Connection settings from the client configuration and flags; with `--insecure`, of nodes without a configuration.
 *
 * @throws {ConfigError} If there is no client configuration, or its context has no endpoints.
 * @throws {UsageError} With `--insecure`, if no nodes are selected.
 */
export async function readKnown(
  { globals, environment, input }: Pick<
    Context<MaintenanceInputs>,
    "globals" | "environment" | "input"
  >,
): Promise<
  Pick<
    ContextCheck,
    | "endpoints"
    | "nodes"
    | "trust"
    | "cluster"
    | "basicAuth"
    | "sign"
    | "proxyUrl"
  >
> {
  if (input.insecure) {
    const trust = {
      kind: "maintenance",
      fingerprints: input.certFingerprint.map(parseFingerprint),
    } as const;
    const endpoints = waitingNodes(globals).map(parseEndpoint);
    const proxyUrl = await contextProxy({ globals, environment });
    return { proxyUrl, trust, endpoints, nodes: [] };
  }
  const found = await chosenContext({ globals, environment });
  const written = globals.endpoints.length > 0
    ? globals.endpoints
    : found.endpoints;
  if (written.length === 0) throw withoutEndpoints(found);
  const { ca, pair } = clientIdentity(found);
  const { proxy, basic } = found.auth ?? {};
  const trust = { kind: "verified", identity: { ca, ...pair } } as const;
  return {
    endpoints: written.map(parseEndpoint),
    nodes: globals.nodes.length > 0 ? globals.nodes : found.nodes,
    trust,
    cluster: globals.cluster ?? found.cluster,
    basicAuth: basic,
    proxyUrl: found.proxyUrl,
    sign: proxy &&
      await openSigner(found, proxy.identity, { globals, environment }),
  };
}

function waitingNodes(
  { nodes, endpoints }: Pick<Globals, "nodes" | "endpoints">,
): readonly string[] {
  if (nodes.length > 0) return nodes;
  if (endpoints.length > 0) return endpoints;
  throw new UsageError("No nodes are selected", { hint: "Use --nodes" });
}

function withoutEndpoints({ name }: NamedContext): ConfigError {
  return new ConfigError(`Context "${name}" has no endpoints`, {
    hint:
      "Set them to control plane nodes with: osctl config endpoint <address>",
  });
}
