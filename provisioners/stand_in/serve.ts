/** The process of a stand-in node: a simulated node in a container, configured as a real one. */

import { folderStore } from "../embedded/folder.ts";
import { ConfigError } from "../../errors.ts";
import { standInConfiguration } from "./configuration.ts";
import { lead } from "./leader.ts";
import { follow } from "./member.ts";

/** How a stand-in node is started. */
export interface StandInOptions {
  /** Base64 of its configuration; as nodes in containers get it, in `USERDATA`. */
  readonly userdata: string | undefined;
  /** Folder for what outlives the process. */
  readonly folder: string;
  /** Its name; default that of this machine. */
  readonly hostname?: string;
  /** Its address; default the first of this machine that is not loopback. */
  readonly address?: string;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/**
 * Plays a node until it is shut down or the signal aborts; yields whenever it is part of its cluster. Throws
 * `ConfigError` if it has no configuration, or no address.
 */
export async function* serveStandIn(
  { userdata, folder, hostname = Deno.hostname(), signal, ...options }:
    StandInOptions,
): AsyncGenerator<void> {
  if (userdata === undefined) {
    throw new ConfigError("Cannot start a stand-in node: USERDATA is not set", {
      hint: 'Start it with "osctl cluster create docker"',
    });
  }
  const configuration = standInConfiguration(userdata);
  const address = options.address ?? ownAddress();
  const place = { hostname, address, signal };
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
