/** The API servers of a model cluster, without a network. */

import { ConnectError } from "../../../errors.ts";
import type { ClientCredentials } from "../../../simulator/cluster/identities.ts";
import type { OpenCall } from "./observed_state.ts";
import type { KubernetesApi } from "../../../simulator/kubernetes/api.ts";
import { apiError } from "../../../simulator/kubernetes/api_error.ts";
import { hasApiServer } from "../../../simulator/kubernetes/availability.ts";
import type {
  ApiAnswer,
  ApiRequest,
} from "../../../simulator/kubernetes/objects.ts";
import { apiServerPort } from "../../../simulator/kubernetes/server.ts";
import type { SimulatedNode } from "../../../simulator/node/node.ts";
import { acceptedClient, checkServer, refused } from "./handshake.ts";

/** What requests go through. */
export interface ApiWires {
  /** Control planes that may be asked. */
  readonly nodes: readonly SimulatedNode[];
  /** What answers. */
  readonly api: Pick<KubernetesApi, "request">;
  /** Where requests are written down. */
  readonly log: OpenCall[];
}

/**
 * Sends a request to the first of some control planes whose API server is up.
 *
 * @throws {ConnectError} When none is up, or its certificate is not believed.
 */
export async function askKubernetes(
  { nodes, api, log }: ApiWires,
  request: ApiRequest,
  credentials: ClientCredentials,
): Promise<ApiAnswer> {
  const up = nodes.find(hasApiServer);
  const address = (up ?? nodes[0])?.identity.address ?? "kubernetes";
  const endpoint = `${address}:${apiServerPort}`;
  if (!up) throw refused(endpoint);
  const { trust } = up.kubernetes;
  const server = { endpoint, trust, clock: up.clock };
  checkServer(server, credentials);
  try {
    await acceptedClient(server, credentials);
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const { code, body } = apiError("unauthorized");
    return { code, body };
  }
  const answer = api.request(request);
  const [path = ""] = request.path.split("?");
  log.push({
    at: up.clock.now(),
    node: "kubernetes",
    method: `${request.method} ${path}`,
    mutating: request.method !== "GET",
    carriedOut: answer.code < 400,
  });
  return answer;
}
