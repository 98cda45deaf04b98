import { clientIdentity } from "../../config/osconfig/client_identity.ts";
import type { NamedContext } from "../../config/osconfig/select_context.ts";
import { ConfigError } from "../../errors.ts";
import { parseEndpoint } from "../../transport/connect/endpoint.ts";
import type { ContextCheck } from "../_doctor/check_context.ts";
import type { Context } from "../_kit/mod.ts";
import { openSigner } from "../_kit/signing.ts";
import { chosenContext } from "./osconfig.ts";

/**
 * Connection settings from the client configuration and flags.
 *
 * @throws {ConfigError} If there is no client configuration, or its context has no endpoints.
 */
export async function readKnown(
  { globals, environment }: Pick<Context<unknown>, "globals" | "environment">,
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

function withoutEndpoints({ name }: NamedContext): ConfigError {
  return new ConfigError(`Context "${name}" has no endpoints`, {
    hint:
      "Set them to control plane nodes with: osctl config endpoint <address>",
  });
}
