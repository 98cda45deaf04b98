/** Connection to any available API server of a cluster. */

import { urlHost } from "../../lib/ip.ts";
import { OsctlError } from "../../errors.ts";
import { accessIn, type KubernetesAccess } from "./access.ts";
import {
  type Kubernetes,
  KubernetesError,
  type KubernetesRequest,
  openKubernetes,
  UntrustedServerError,
} from "./client.ts";

/** Access to a cluster as an administrator. */
export interface AdminAccess {
  /** Readers of the admin kubeconfig; tried in order. */
  readonly kubeconfigs: readonly (() => Promise<string>)[];
  /** Addresses of control planes, as fallback for the server in the kubeconfig. */
  readonly addresses: readonly string[];
  /** The only URL to use, instead of the one in the kubeconfig. */
  readonly server?: string;
  /** Connects to one server; default over the network. */
  readonly open?: (access: KubernetesAccess) => Kubernetes;
}

const port = 6443;

/** Timeout of the first request to a server, in milliseconds. */
const probeMs = 5_000;

/**
 * Creates a connection that selects a server at the first request, and another when it is lost.
 *
 * A node signs a new admin certificate for every requested kubeconfig, so the kubeconfig is kept when a server is
 * lost, and read again only when it is no longer valid: the server rejects the client (401), or its certificate is not
 * signed by the CA of the kubeconfig. Such a request is retried once; one that was lost with its server is not.
 */
export function connectKubernetes(access: AdminAccess): Kubernetes {
  let kubeconfig: Promise<KubernetesAccess> | undefined;
  let opened: Promise<Kubernetes> | undefined;
  const closing = new AbortController();

  async function request(path: string, options: KubernetesRequest) {
    const kept = kubeconfig;
    try {
      return await once(path, options);
    } catch (error) {
      if (kept === undefined || !isOutdated(error)) throw error;
      return await once(path, options);
    }
  }

  async function once(path: string, options: KubernetesRequest) {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const read = kubeconfig ??= readFirst(access.kubeconfigs);
    const found = opened ??= find(access, read, closing.signal);
    try {
      return await (await found).request(path, { ...options, signal });
    } catch (error) {
      const isRefused = error instanceof KubernetesError && error.code !== 0;
      if (isRefused && error.code !== 401 || signal.aborted) throw error;
      if (opened === found) {
        opened = undefined;
        close(found);
      }
      // Also a kubeconfig that could not be read.
      const isUseless = isOutdated(error) ||
        !(error instanceof KubernetesError);
      if (isUseless && kubeconfig === read) kubeconfig = undefined;
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

/** Reports whether the Kubernetes CA may have been rotated since the kubeconfig was read. */
function isOutdated(error: unknown): boolean {
  return error instanceof UntrustedServerError ||
    error instanceof KubernetesError && error.code === 401;
}

function close(opened: Promise<Kubernetes>): void {
  // Its connection error was thrown to its caller.
  opened.then((kubernetes) => kubernetes[Symbol.dispose](), () => {});
}

async function find(
  { addresses, server, open = openKubernetes }: AdminAccess,
  kubeconfig: Promise<KubernetesAccess>,
  signal: AbortSignal,
): Promise<Kubernetes> {
  const access = await kubeconfig;
  const probed = (one: KubernetesAccess, end: AbortSignal) =>
    answering(open(one), end);
  if (server !== undefined) return await probed({ ...access, server }, signal);
  try {
    return await probed(access, signal);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
    const others = addresses.map((address) => ({
      ...access,
      server: `https://${urlHost(address)}:${port}`,
    }));
    const found = await firstAnswering(others, signal, probed);
    if (found === undefined) throw error;
    return found;
  }
}

async function readFirst(
  kubeconfigs: AdminAccess["kubeconfigs"],
): Promise<KubernetesAccess> {
  let failure = new OsctlError(
    "Cannot reach Kubernetes: no control plane is known",
  );
  for (const read of kubeconfigs) {
    try {
      // In order, until one succeeds.
      return accessIn(await read(), "kubeconfig");
    } catch (error) {
      if (!(error instanceof OsctlError)) throw error;
      failure = error;
    }
  }
  throw failure;
}

/** The first server that answers; closes the others. */
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

/** Keeps a connection if there is any answer, including an error. */
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
