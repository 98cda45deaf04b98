/** The process of a stand-in node: a simulated node in a container or a virtual machine, configured as a real one. */

import { folderStore } from "../embedded/folder.ts";
import { ConfigError } from "../../errors.ts";
import { decodeUserdata, standInConfiguration } from "./configuration.ts";
import { lead } from "./leader.ts";
import { untilConfigured } from "./maintenance.ts";
import { follow } from "./member.ts";

interface StandInOptions {
  /** Base64 of its configuration, as nodes in containers get it, in `USERDATA`; `undefined` to wait for one. */
  readonly userdata: string | undefined;
  /** Folder for what outlives the process. */
  readonly folder: string;
  /** Its name; default that of this machine. */
  readonly hostname?: string;
  /** Its address; default the first of this machine that is not loopback. */
  readonly address?: string;
  readonly signal: AbortSignal;
}

/**
 * Plays a node until it is shut down or the signal aborts; yields whenever it is part of its cluster. Throws
 * `ConfigError` if its configuration is none, or it has no address.
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
