/** Where a real etcd server listens. */

/** Address and ports of a server. */
export interface EtcdPlace {
  /** Address. */
  readonly host: string;
  /** Port for other members. */
  readonly peerPort: number;
  /** Port for clients. */
  readonly clientPort: number;
}

/** Ports that etcd has on nodes. */
export const usualPorts = { peerPort: 2380, clientPort: 2379 } as const;

/** Ports below those that connections get by themselves. */
const lowest = 20_000;
const count = 12_000;

/**
 * Finds ports that are free on an address.
 *
 * @throws {Error} When the address is not of this machine.
 */
export function freePorts(host: string): EtcdPlace {
  // Both are held until both are found: they have to differ.
  using peer = listen(host);
  using client = listen(host);
  return { host, peerPort: peer.addr.port, clientPort: client.addr.port };
}

function listen(hostname: string): Deno.TcpListener {
  while (true) {
    const port = lowest + Math.floor(Math.random() * count);
    try {
      return Deno.listen({ hostname, port });
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}
