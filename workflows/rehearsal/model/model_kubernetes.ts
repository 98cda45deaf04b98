/** Kubernetes of a model cluster, with the interface of a real one. */

import { type ConnectCause, ConnectError } from "../../../errors.ts";
import type { ModelCluster } from "./model_cluster.ts";
import type { KubernetesAccess } from "../../kubernetes/access.ts";
import {
  contentType,
  type Kubernetes,
  KubernetesError,
  parseAnswer,
  UntrustedServerError,
} from "../../kubernetes/client.ts";

type AskedCluster = Pick<ModelCluster, "kubernetes">;

/**
 * Connects to an API server of a model cluster; only cryptography takes real time.
 *
 * @param access Server and client; a server that is not a node stands for any available control plane.
 */
export function openModelKubernetes(
  cluster: AskedCluster,
  { server, ...credentials }: KubernetesAccess,
): Kubernetes {
  const { hostname } = new URL(server);
  const host = hostname.replaceAll(/^\[|\]$/g, "");
  let isOpen = true;
  return {
    async request(path, { method = "GET", patch = "merge", body, signal }) {
      if (!isOpen) throw unreachable(server, "the connection was closed");
      if (signal.aborted) {
        throw unreachable(server, "the caller no longer waits");
      }
      // Over a network these would be copies as well.
      const asked = {
        method,
        path,
        body: copyJson(body),
        contentType: contentType({ method, patch }),
      };
      const { code, body: answer } = await reachServer(
        server,
        atOrAny(host, (node) => cluster.kubernetes(asked, credentials, node)),
      );
      return parseAnswer(code, copyJson(answer));
    },
    [Symbol.dispose]: () => void (isOpen = false),
  };
}

function copyJson(json: unknown): unknown {
  return json === undefined ? undefined : JSON.parse(JSON.stringify(json));
}

async function reachServer<T>(server: string, asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    throw unreachable(server, error.message, error);
  }
}

/** Causes that a newer kubeconfig may fix. */
const untrusted: ReadonlySet<ConnectCause> = new Set([
  "wrong-ca",
  "ca-expired",
]);

function unreachable(
  server: string,
  why: string,
  cause?: ConnectError,
): KubernetesError {
  const { origin } = new URL(server);
  const message = `Cannot reach Kubernetes at ${origin}: ${why}`;
  const isUntrusted = cause !== undefined && untrusted.has(cause.reason);
  const Failure = isUntrusted ? UntrustedServerError : KubernetesError;
  return new Failure(0, message, cause);
}

/** Calls a node, or any available control plane if the host is the cluster's name. */
async function atOrAny<T>(
  host: string,
  ask: (node?: string) => Promise<T>,
): Promise<T> {
  try {
    return await ask(host);
  } catch (error) {
    // Thrown by the cluster for an unknown name.
    if (!(error instanceof RangeError)) throw error;
    return await ask();
  }
}
