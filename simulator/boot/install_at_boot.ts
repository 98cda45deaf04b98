/** What a node installs while it boots: itself when the disk is empty, or what an upgrade has staged. */

import { imagePrefix } from "../../dialect.ts";
import { runInstaller } from "./installer.ts";
import { logKernel, logRaw } from "../node/kernel_log.ts";
import { deleteMeta, metaKey } from "../node/meta.ts";
import type { SimulatedNode } from "../node/node.ts";
import { installImage } from "../node/node_configuration.ts";
import { runningRelease } from "../node/running_release.ts";
import { TaskFailure } from "./task_failure.ts";

/** Something to install. */
export interface ToInstall {
  /** Name of the installer's image. */
  readonly image: string;
  /** True when a system is there already. */
  readonly upgrade: boolean;
}

/** Finds out what to install; what was staged is forgotten, so that it is tried once. */
export async function toInstall(
  node: SimulatedNode,
): Promise<ToInstall | undefined> {
  const staged = node.disk.meta.get(metaKey.stagedImage);
  const hasOptions = deleteMeta(node, metaKey.stagedOptions);
  if (deleteMeta(node, metaKey.stagedImage)) await node.save();
  if (node.disk.bootEntries === undefined) {
    const { tag } = runningRelease(node);
    const image = installImage(node) ?? `${imagePrefix}/installer:${tag}`;
    return { image, upgrade: false };
  }
  if (staged === undefined || !hasOptions) return undefined;
  return { image: new TextDecoder().decode(staged), upgrade: true };
}

/** The tasks of an installation. */
export function installTask(
  { image, upgrade }: ToInstall,
): (node: SimulatedNode, task: string) => Promise<void> {
  return async (node, task) => {
    if (task !== "install") return;
    logKernel(
      node,
      upgrade
        ? `performing staged upgrade via "${image}"`
        : "installing to disk /dev/vda",
    );
    const say = (line: string) => logRaw(node, line);
    const status = await runInstaller(node, { image, upgrade, say });
    if (status === 0) return await node.save();
    // A configuration is kept on the disk, which is as empty as before.
    if (!upgrade) {
      node.disk.configured = false;
      await node.save();
    }
    throw new TaskFailure(`task "upgrade" failed: exit code ${status}`);
  };
}
