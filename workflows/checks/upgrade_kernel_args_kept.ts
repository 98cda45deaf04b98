import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { readNodeDocument } from "../operations/node_document.ts";
import { hasLifecycle } from "../runbooks/node_parts.ts";
import { readBootLoader } from "../upgrade/boot_loader.ts";
import type { Check } from "./check.ts";
import {
  answerMs,
  counted,
  groupField,
  groupOf,
  unlessLoosened,
} from "./finding.ts";

/** Whether upgrades by the newer call leave the kernel arguments of nodes as they are. */
export const upgradeKernelArgsKept: Check = {
  name: "upgrade.kernelArgsKept",
  summary: "No node would lose kernel arguments that its configuration adds",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await groupOf(site, input);
    const seen = `kept by ${counted(nodes.length, "node")}`;
    return unlessLoosened(site, "image-identity", nodes, lost, seen);
  },
};

/** The newer call does not read the configuration, which is where GRUB's arguments come from. */
async function lost(client: NodeClient): Promise<string | undefined> {
  const answer = await client.machine.version({}, { deadlineMs: answerMs });
  const { version, platform } = single(answer.messages);
  if (!hasLifecycle(version?.tag ?? "") || platform?.mode === "container") {
    return undefined;
  }
  const install = (await readNodeDocument(client))?.get("machine", "install");
  const extra = install?.get("extraKernelArgs").items()
    .flatMap((item) => item.text() ?? []) ?? [];
  if (extra.length === 0) return undefined;
  if (await readBootLoader(client) !== "grub") return undefined;
  return `it starts with GRUB and would lose ${
    extra.join(" ")
  }; upgrade it with --preserve, which takes the older call`;
}
