/** Probes of the steps of a connection, to find the one that fails. */

import { lookup } from "node:dns/promises";
import { attemptDial } from "./diagnostic_dial.ts";
import { dial } from "./dial.ts";
import { peerCertificate } from "./trust.ts";
import {
  type DialOptions,
  type DialProgress,
  openReached,
  openTls,
} from "./endpoint_socket.ts";

interface ShownCertificate {
  /** TLS version: `TLSv1.3`. */
  readonly protocol: string;
  /** Server certificate, DER. */
  readonly certificate: Uint8Array;
}

/** Steps of a connection to one endpoint; each throws `ConnectError` on failure and closes its connection. */
export interface Probes {
  /** Resolves the host name with the system resolver. */
  readonly lookUp: () => Promise<readonly string[]>;
  /** Connects with TCP, to the endpoint or through the proxy. */
  readonly connect: () => Promise<void>;
  /** Makes a TLS handshake without verification and without a client certificate. */
  readonly handshake: () => Promise<ShownCertificate>;
  /** Connects as for a call, with mutual TLS. */
  readonly login: () => Promise<void>;
}

/** Creates the probes of an endpoint. */
export function listProbes(options: DialOptions): Probes {
  const unchecked: DialOptions = {
    ...options,
    trust: { kind: "maintenance", fingerprints: [] },
  };
  return {
    lookUp: () => attemptDial(options, resolveAddresses),
    connect: () =>
      closing(options, async (limited, progress) => {
        await openReached(limited, progress);
      }),
    handshake: () =>
      closing(unchecked, async (limited, progress) => {
        const socket = await openTls(limited, progress);
        const certificate = new Uint8Array(peerCertificate(socket).raw);
        return { protocol: socket.getProtocol() ?? "unknown", certificate };
      }),
    login: async () => (await dial(options)).close(),
  };
}

async function resolveAddresses(
  { endpoint, signal }: DialOptions,
): Promise<readonly string[]> {
  const late = Promise.withResolvers<never>();
  // The system resolver cannot be canceled, only abandoned.
  const leave = () => late.reject(signal.reason);
  signal.addEventListener("abort", leave);
  try {
    const found = lookup(endpoint.host, { all: true });
    const addresses = await Promise.race([found, late.promise]);
    return [...new Set(addresses.map(({ address }) => address))];
  } finally {
    signal.removeEventListener("abort", leave);
  }
}

function closing<T>(
  options: DialOptions,
  run: (options: DialOptions, progress: DialProgress) => Promise<T>,
): Promise<T> {
  return attemptDial(options, async (limited, progress) => {
    const result = await run(limited, progress);
    for (const socket of progress.sockets) socket.destroy();
    return result;
  });
}
