/** What a node says about itself: `Version` and `Hostname`. */

import type { ActiveFaults } from "../faults.ts";
import type { MachineHandlers } from "../handlers.ts";

/** `Version` and `Hostname`. */
export const version: MachineHandlers = {
  version: (_, { node: { cluster: { release }, faults } }) => ({
    messages: [{
      version: {
        tag: olderTag(faults) ?? release.tag,
        sha: release.sha,
        built: "",
        goVersion: release.goVersion,
        os: "linux",
        arch: release.arch,
      },
      platform: { name: "metal", mode: "metal" },
      features: { rbac: true },
    }],
  }),
  hostname: (_, { node }) => ({
    messages: [{ hostname: node.identity.hostname }],
  }),
};

function olderTag(faults: ActiveFaults): string | undefined {
  const fault = faults.get("older-version");
  return fault && (fault.tag ?? "v1.11.5");
}
