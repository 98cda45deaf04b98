/** Process of a stand-in node: a simulated node in a container or virtual machine, configured like a real one. */

import { folderStore } from "../../provisioners/embedded/folder.ts";
import { ConfigError } from "../../errors.ts";
import { decodeUserdata, standInConfiguration } from "./configuration.ts";
import { lead } from "./leader.ts";
import { untilConfigured } from "./maintenance.ts";
import { follow } from "./member.ts";

interface StandInOptions {
  /** Configuration in base64, from `USERDATA` as for container nodes; `undefined` to start in maintenance mode. */
  readonly userdata: string | undefined;
  /** Folder for persistent data. */
  readonly folder: string;
  /** Host name; default of this machine. */
  readonly hostname?: string;
  /** Address; default the first non-loopback address of this machine. */
  readonly address?: string;
  readonly signal: AbortSignal;
}

/**
 * Simulates a node until it is shut down or the signal aborts; yields after each join. Throws `ConfigError`
 * if its configuration is invalid, or it has no address.
 */
export async function* serveStandIn(
  { userdata, folder, hostname = Deno.hostname(), signal, ...options }:
    StandInOptions,
): AsyncGenerator<void> {
  const address = options.address ?? ownAddress();
  const place = { hostname, address, signal };
  const text = userdata === undefined
    ? await untilConfigured(place, options.address)
    : decodeUserdata(userdata);
  if (text === undefined) return;
  const configuration = standInConfiguration(text);
  const running = configuration.leader === address
    ? lead(configuration, { ...place, store: folderStore(folder) })
    : follow(configuration, place);
  for await (const _ of running) yield;
}

function ownAddress(): string {
  const found = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  if (found !== undefined) return found.address;
  throw new ConfigError("Cannot start a stand-in node: it has no address");
}
