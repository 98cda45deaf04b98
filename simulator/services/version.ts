/** What a node says about itself: `Version` and `Hostname`. */

import type { ActiveFaults } from "../faults/faults.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { runningRelease } from "../node/release.ts";

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
