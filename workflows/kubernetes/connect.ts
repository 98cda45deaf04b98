/** A connection to whichever API server of a cluster answers. */

import { OsctlError } from "../../errors.ts";
import { accessIn, type KubernetesAccess } from "./access.ts";
import {
  type Kubernetes,
  KubernetesError,
  type KubernetesRequest,
  openKubernetes,
} from "./client.ts";

/** How a cluster is reached. */
export interface ClusterAccess {
  /** Reads the kubeconfig of an administrator; tried one after the other until one can. */
  readonly kubeconfigs: readonly (() => Promise<string>)[];
  /** Addresses of control planes, tried when the server in the kubeconfig does not answer. */
  readonly addresses: readonly string[];
  /** URL that is used instead of the one in the kubeconfig, and no other. */
  readonly server?: string;
  /** Connects to one server; default over the network. */
  readonly open?: (access: KubernetesAccess) => Kubernetes;
}

/** Port of API servers. */
const port = 6443;

/** Longest time for a first answer, in milliseconds. */
const probeMs = 5_000;

/**
 * Makes a connection that finds a server at the first request, and another one when it is lost.
 *
 * A request that was lost with its server is not sent again; one whose client is not known any more is, once,
 * with the kubeconfig of then.
 *
 * @param access How the cluster is reached.
 */
export function connectKubernetes(access: ClusterAccess): Kubernetes {
  let opened: Promise<Kubernetes> | undefined;
  const closing = new AbortController();

  async function request(path: string, options: KubernetesRequest) {
    const known = opened;
    try {
      return await once(path, options);
    } catch (error) {
      // The authority of Kubernetes may have been exchanged since the connection was made.
      const isStranger = error instanceof KubernetesError && error.code === 401;
      if (!isStranger || known === undefined) throw error;
      return await once(path, options);
    }
  }

  async function once(path: string, options: KubernetesRequest) {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const found = opened ??= find(access, closing.signal);
    try {
      return await (await found).request(path, { ...options, signal });
    } catch (error) {
      const isLost = !(error instanceof KubernetesError) ||
        error.code === 0 || error.code === 401;
      if (isLost && opened === found && !signal.aborted) {
        opened = undefined;
        close(found);
      }
      throw error;
    }
  }

  return {
    request,
    [Symbol.dispose]() {
      closing.abort();
      if (opened !== undefined) close(opened);
    },
  };
}

function close(opened: Promise<Kubernetes>): void {
  // A failure to open was raised where it was needed.
  opened.then((kubernetes) => kubernetes[Symbol.dispose](), () => {});
}

async function find(
  { kubeconfigs, addresses, server, open = openKubernetes }: ClusterAccess,
  signal: AbortSignal,
): Promise<Kubernetes> {
  const access = accessIn(await firstOf(kubeconfigs), "kubeconfig");
  const probed = (one: KubernetesAccess, end: AbortSignal) =>
    answering(open(one), end);
  if (server !== undefined) return await probed({ ...access, server }, signal);
  try {
    return await probed(access, signal);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    const others = addresses.map((address) => {
      const host = address.includes(":") ? `[${address}]` : address;
      return { ...access, server: `https://${host}:${port}` };
    });
    const found = await firstAnswering(others, signal, probed);
    if (found === undefined) throw error;
    return found;
  }
}

async function firstOf(
  kubeconfigs: readonly (() => Promise<string>)[],
): Promise<string> {
  let failure = new OsctlError(
    "Cannot reach Kubernetes: no control plane is known",
  );
  for (const read of kubeconfigs) {
    try {
      // The next one is asked only when this one cannot answer.
      return await read();
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The first server that answers; the others are closed. */
async function firstAnswering(
  all: readonly KubernetesAccess[],
  signal: AbortSignal,
  probed: (access: KubernetesAccess, end: AbortSignal) => Promise<Kubernetes>,
): Promise<Kubernetes | undefined> {
  const rest = new AbortController();
  const both = AbortSignal.any([signal, rest.signal]);
  const tries = all.map((access) => probed(access, both));
  try {
    const first = await Promise.any(tries);
    rest.abort();
    for (const other of tries) {
      other.then((one) => one === first || one[Symbol.dispose](), () => {});
    }
    return first;
  } catch (error) {
    if (error instanceof AggregateError) return undefined;
    throw error;
  }
}

/** Keeps a connection when there is an answer, whichever. */
async function answering(
  kubernetes: Kubernetes,
  signal: AbortSignal,
): Promise<Kubernetes> {
  try {
    await kubernetes.request("/version", {
      signal: AbortSignal.any([signal, AbortSignal.timeout(probeMs)]),
    });
  } catch (error) {
    if (!(error instanceof KubernetesError) || error.code === 0) {
      kubernetes[Symbol.dispose]();
      throw error;
    }
  }
  return kubernetes;
}
