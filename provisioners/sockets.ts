/** Sockets of servers. */

import type { Socket } from "node:dgram";

/** A running server. */
export interface RunningServer {
  readonly port: number;
  /** Stops it, and closes its connections. */
  readonly close: () => void;
}

/** Binds a UDP socket. Throws Error if the port is in use or not permitted. */
export function bind(
  socket: Socket,
  port: number,
  host: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(port, host, () => {
      socket.off("error", reject);
      resolve();
    });
  });
}

interface TcpAddress {
  readonly host: string;
  readonly port: number;
  /** Certificate and key for HTTP/2 over TLS, PEM; omitted for plain connections. */
  readonly tls?: { readonly crt: string; readonly key: string };
}

/**
 * Listens for TCP connections; open ones are closed when it stops.
 *
 * @param serve Called for each connection, which is closed when it settles.
 */
export function serveTcp(
  { host, port, tls }: TcpAddress,
  serve: (connection: Deno.Conn<Deno.NetAddr>) => Promise<void>,
): RunningServer {
  const where = { hostname: host, port };
  const listener = tls === undefined ? Deno.listen(where) : Deno.listenTls({
    ...where,
    cert: tls.crt,
    key: tls.key,
    alpnProtocols: ["h2"],
  });
  const open = new Set<Deno.Conn>();
  const serveOne = async (connection: Deno.Conn<Deno.NetAddr>) => {
    open.add(connection);
    try {
      await serve(connection);
    } catch {
      // The client has gone.
    } finally {
      open.delete(connection);
      close(connection);
    }
  };
  acceptAll(listener, serveOne);
  return {
    port: listener.addr.port,
    close() {
      listener.close();
      for (const connection of open) close(connection);
    },
  };
}

/** Closes a connection, unless it is already closed. */
export function close(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch (error) {
    if (!(error instanceof Deno.errors.BadResource)) throw error;
  }
}

async function acceptAll(
  listener: Deno.TcpListener | Deno.TlsListener,
  serve: (connection: Deno.Conn<Deno.NetAddr>) => void,
): Promise<void> {
  while (true) {
    try {
      serve(await listener.accept());
    } catch (error) {
      const isClosed = error instanceof Deno.errors.BadResource ||
        error instanceof Deno.errors.Interrupted;
      if (isClosed) return;
      // The client disconnected, or there are temporarily too many open files.
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
