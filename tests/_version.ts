/** Version of the operating system on simulated nodes: that of OSCTL_WIRE_VERSION, `v1.9`; else the default one. */

import { findRelease } from "../config/releases.ts";
import { defaultRelease } from "../talos.ts";

const { tag: own } = findRelease(
  Deno.env.get("OSCTL_WIRE_VERSION") ?? defaultRelease,
);

/** Version of nodes, with leading `v`. */
export const tag: string = own;

/** Its minor version: 12. */
export const minor = Number(tag.split(".")[1]);

/** A later release of the same minor version, to upgrade to. */
export const nextTag = `v1.${minor}.${
  Number(/\d+/.exec(tag.split(".")[2] ?? "")) + 1
}`;

/** A version with its dots quoted, for regular expressions. */
export function quote(version: string): string {
  return version.replaceAll(".", "\\.");
}
