/** Checks before an upgrade; each may be overridden. */

import { pathProblem, withV } from "../../lib/version.ts";
import { readNodeConfiguration } from "../configuration/node_configuration.ts";
import {
  hasLifecycle,
  readBootLoader,
  readKubeletVersion,
  readNodeSystem,
} from "../upgrade/node_system.ts";
import {
  installerFor,
  parseInstaller,
} from "../upgrade/installer_reference.ts";
import { kubernetesProblem } from "../../config/kubernetes_range.ts";
import { upgradeProblems } from "../upgrade/upgrade_problems.ts";
import { groupCheck, readVersion } from "./ask_nodes.ts";
import type { Check } from "./check.ts";

/** Checks that nodes can be upgraded to a version from their current one. */
export const upgradePath: Check = groupCheck({
  name: "upgrade.path",
  summary:
    "All nodes can be upgraded to the version: no downgrade, no skipped minor version, Kubernetes supported",
  input: {
    to: { type: "semver", summary: "Target version", required: true },
    maxMinorStep: {
      type: "int",
      summary: "Maximum number of minor versions per upgrade",
      initial: 1,
    },
  },
  rule: "version-path",
  async findProblem(client, { to, maxMinorStep = 1 }) {
    const { version } = await readVersion(client);
    const wanted = withV(String(to));
    const problems = [
      pathProblem(version?.tag ?? "", wanted, Number(maxMinorStep)),
      kubernetesProblem(await readKubeletVersion(client), wanted),
    ].filter((problem) => problem !== undefined);
    return problems.length === 0 ? undefined : problems.join(", ");
  },
  seen: (nodes, { to }) => `${nodes} can be upgraded to ${withV(String(to))}`,
});

const keep = "keep";

/** Checks that an image keeps the properties of the nodes' systems: extensions, secure boot, platform. */
export const upgradeImageIdentity: Check = groupCheck({
  name: "upgrade.imageIdentity",
  summary: "The image keeps what every node has: extensions, Secure Boot",
  input: {
    image: {
      type: "string",
      summary:
        "Image; without a tag, the tag is the version; keep for each node's own image",
      initial: keep,
    },
    version: { type: "semver", summary: "Target version", required: true },
  },
  rule: "image-identity",
  async findProblem(client, input) {
    const to = withV(String(input.version));
    const image = String(input.image ?? keep);
    const system = await readNodeSystem(client);
    const isBare = image !== keep && parseInstaller(image).repository === image;
    const named = isBare ? `${image}:${to}` : image;
    const target = installerFor(
      { image: image === keep ? null : named, to },
      system,
    );
    const found = upgradeProblems(system, target)
      .filter(({ rule }) => rule === "S9").map(({ text }) => text);
    return found.length === 0 ? undefined : found.join(", ");
  },
  seen: (nodes) => `kept by ${nodes}`,
});

/** Checks that upgrades by the newer call keep the kernel arguments of nodes. */
export const upgradeKernelArgsKept: Check = groupCheck({
  name: "upgrade.kernelArgsKept",
  summary: "No node would lose kernel arguments from its configuration",
  rule: "image-identity",
  // The newer call does not read the configuration, the source of GRUB's arguments.
  async findProblem(client) {
    const { version, platform } = await readVersion(client);
    if (!hasLifecycle(version?.tag ?? "") || platform?.mode === "container") {
      return undefined;
    }
    const extra = (await readNodeConfiguration(client))?.kernelArguments ?? [];
    if (extra.length === 0 || await readBootLoader(client) !== "grub") {
      return undefined;
    }
    return `it boots with GRUB and would lose ${
      extra.join(" ")
    }; upgrade it with --preserve, which uses the older call`;
  },
  seen: (nodes) => `kept by ${nodes}`,
});
