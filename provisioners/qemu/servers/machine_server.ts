/** The HTTP server of one machine: gives it its configuration, and switches it on and off. */

import type { RunningServer } from "../../sockets.ts";

/** A machine that can be switched. */
export interface PowerSwitch {
  /** True while it is on, also between two starts. */
  readonly isOn: () => boolean;
  /** Switches it on; nothing happens when it is. */
  readonly on: () => void;
  /** Switches it off, without asking what runs on it. */
  readonly off: () => void;
  /** Switches it off and on. `network`: the next start is from the network. */
  readonly restart: (options?: { readonly network: boolean }) => void;
}

interface MachineServerOptions {
  readonly host: string;
  readonly port: number;
  /** Reads the configuration, YAML; resolves to `undefined` when the machine is not to get one. */
  readonly configuration: () => Promise<string | undefined>;
  /** Addresses that may have the configuration, which has secrets; others get 403. */
  readonly owners: readonly string[];
  /** Script for iPXE; omitted, there is none. */
  readonly bootScript?: string | undefined;
  readonly power: PowerSwitch;
}

/** Starts the server. Throws Error when the port is taken or not allowed. */
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
  // What comes from this machine itself has the address it was sent to.
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
      return switched(isHost, power.on);
    case "POST /poweroff":
      return switched(isHost, power.off);
    case "POST /reboot":
      return switched(isHost, () => power.restart());
    case "POST /pxeboot":
      return switched(isHost, () => power.restart({ network: true }));
    default:
      return new Response("", { status: 501 });
  }
}

/** Machines must not switch each other off. */
function switched(isHost: boolean, change: () => void): Response {
  if (!isHost) return new Response("", { status: 403 });
  change();
  return new Response("");
}
