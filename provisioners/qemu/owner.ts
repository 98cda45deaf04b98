/** Files that root makes for a user belong to the user. */

import { type ClusterLocation, folderOf } from "../state.ts";
import type { QemuSpec } from "./spec.ts";

/**
 * Gives the folder of a cluster, and the folder it is in, to a user.
 *
 * @param owner The user; omitted, nothing happens.
 */
export async function giveToUser(
  place: ClusterLocation,
  owner: QemuSpec["owner"],
): Promise<void> {
  if (owner === undefined) return;
  const { uid, gid } = owner;
  await Deno.chown(place.state, uid, gid);
  await giveAll(folderOf(place), uid, gid);
}

async function giveAll(path: string, uid: number, gid: number): Promise<void> {
  await Deno.chown(path, uid, gid);
  for await (const item of Deno.readDir(path)) {
    const inside = `${path}/${item.name}`;
    if (item.isDirectory) await giveAll(inside, uid, gid);
    // A link could lead out of the folder.
    else if (!item.isSymlink) await Deno.chown(inside, uid, gid);
  }
}
