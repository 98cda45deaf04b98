/** Version, host name and time of a node: `Version`, `Hostname`, `Time` and `TimeCheck`. */

import type { TimeServiceDefinition } from "../../transport/gen/time.ts";
import type { ActiveFaults } from "../state/faults.ts";
import { clockSkew, type SimulatedNode } from "../state/node.ts";
import { runningRelease } from "../release/release.ts";
import type { Handlers, MachineHandlers } from "./handlers.ts";
import { toTimestamp } from "../wire/timestamp.ts";

/** `Version` and `Hostname`. */
export const version: MachineHandlers = {
  version(_, { node }) {
    const { tag, sha, goVersion, arch } = runningRelease(node);
    const shown = olderTag(node.faults) ?? tag;
    return {
      messages: [{
        version: { tag: shown, sha, built: "", goVersion, os: "linux", arch },
        platform: { name: "metal", mode: "metal" },
        features: { rbac: true },
      }],
    };
  },
  hostname: (_, { node }) => ({
    messages: [{ hostname: node.identity.hostname }],
  }),
};

function olderTag(faults: ActiveFaults): string | undefined {
  const fault = faults.get("older-version");
  return fault && (fault.tag ?? "v1.11.5");
}

/** `Time` and `TimeCheck`. */
export const time: Handlers<typeof TimeServiceDefinition> = {
  time: (_, { node }) => versionReply(node, "time.cloudflare.com"),
  timeCheck: ({ server }, { node }) => versionReply(node, server),
};

function versionReply(node: SimulatedNode, server: string) {
  const now = node.clock.now();
  return {
    messages: [{
      server,
      localtime: toTimestamp(now),
      remotetime: toTimestamp(now - clockSkew(node.faults) + 3),
    }],
  };
}
