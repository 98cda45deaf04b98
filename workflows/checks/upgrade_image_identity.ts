import type { NodeClient } from "../../transport/call/client.ts";
import { readNodeSystem } from "../upgrade/node_system.ts";
import { findingsOf } from "../upgrade/findings.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import { targetOf } from "../upgrade/target.ts";
import type { Check } from "./check.ts";
import { counted, groupField, groupOf, unlessLoosened } from "./finding.ts";

/** Word for the image a node has already. */
const keep = "keep";

/** Whether an image keeps what the nodes' systems hold: extensions, secure boot, platform. */
export const upgradeImageIdentity: Check = {
  name: "upgrade.imageIdentity",
  summary: "The image holds what every node has now: extensions, secure boot",
  scope: "cluster",
  input: {
    image: {
      type: "string",
      summary: "The image, without a tag that of the version; keep for its own",
      initial: keep,
    },
    version: { type: "semver", summary: "The version", required: true },
    group: groupField,
  },
  async look(site, input) {
    const version = String(input.version).replace(/^v?/, "v");
    const image = String(input.image ?? keep);
    const nodes = await groupOf(site, input);
    const look = async (client: NodeClient) => {
      const system = await readNodeSystem(client);
      const wish = image === keep ? null : named(image, version);
      const target = targetOf({ image: wish, to: version }, system);
      const found = findingsOf(system, target)
        .filter(({ rule }) => rule === "S9").map(({ text }) => text);
      return found.length === 0 ? undefined : found.join(", ");
    };
    const seen = `kept by ${counted(nodes.length, "node")}`;
    return await unlessLoosened(site, "image-identity", nodes, look, seen);
  },
};

function named(image: string, version: string): string {
  return parseInstaller(image).repository === image
    ? `${image}:${version}`
    : image;
}
