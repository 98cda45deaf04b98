/** HTTP server of a machine: serves its configuration, and controls its power. */

import type { RunningServer } from "../../sockets.ts";

/** Power control of a machine. */
export interface PowerSwitch {
  /** True while it is on, including restarts. */
  readonly isOn: () => boolean;
  /** Powers it on, unless it is on. */
  readonly on: () => void;
  /** Powers it off, without a graceful shutdown. */
  readonly off: () => void;
  /** Power cycles it. `network`: the next boot is from the network. */
  readonly restart: (options?: { readonly network: boolean }) => void;
}

interface MachineServerOptions {
  readonly host: string;
  readonly port: number;
  /** Reads the configuration, YAML; resolves to `undefined` if it is not served here. */
  readonly configuration: () => Promise<string | undefined>;
  /** Addresses allowed to read the configuration, which contains secrets; others get 403. */
  readonly owners: readonly string[];
  /** iPXE script; default none. */
  readonly bootScript?: string | undefined;
  readonly power: PowerSwitch;
}

/** Starts the server. Throws Error if the port is in use or not permitted. */
export function serveMachine(options: MachineServerOptions): RunningServer {
  const { host, port } = options;
  const server = Deno.serve(
    { hostname: host, port, onListen() {} },
    (request, { remoteAddr }) => answer(request, remoteAddr.hostname, options),
  );
  return {
    port: server.addr.port,
    close: () => void server.shutdown(),
  };
}

async function answer(
  request: Request,
  client: string,
  { host, configuration, owners, bootScript, power }: MachineServerOptions,
): Promise<Response> {
  const { pathname } = new URL(request.url);
  // Requests from this host have the same source and destination address.
  const isHost = client === host;
  switch (`${request.method} ${pathname}`) {
    case "GET /config.yaml": {
      if (!isHost && !owners.includes(client)) {
        return new Response("", { status: 403 });
      }
      const text = await configuration();
      return text === undefined
        ? new Response("", { status: 404 })
        : new Response(text, {
          headers: { "content-type": "application/yaml" },
        });
    }
    case "GET /boot.ipxe":
      return bootScript === undefined
        ? new Response("", { status: 404 })
        : new Response(bootScript, {
          headers: { "content-type": "text/plain" },
        });
    case "GET /status":
      return Response.json({ PoweredOn: power.isOn() });
    case "POST /poweron":
      return switchPower(isHost, power.on);
    case "POST /poweroff":
      return switchPower(isHost, power.off);
    case "POST /reboot":
      return switchPower(isHost, () => power.restart());
    case "POST /pxeboot":
      return switchPower(isHost, () => power.restart({ network: true }));
    default:
      return new Response("", { status: 501 });
  }
}

/** Allows power control only from this host. */
function switchPower(isHost: boolean, change: () => void): Response {
  if (!isHost) return new Response("", { status: 403 });
  change();
  return new Response("");
}
