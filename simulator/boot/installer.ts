import { parseMinor } from "../../lib/version.ts";
import { defaultInstaller } from "../../config/releases.ts";
import { runtimeName, runtimeName as osName } from "../../talos.ts";
import { triggerFault } from "../state/faults.ts";
import { isPullable } from "../node/images.ts";
import { logKernel, logRaw, logTime } from "../node/logs.ts";
import { deleteMeta, metaKey, setMeta } from "../node/meta.ts";
import type { SimulatedNode } from "../state/node.ts";
import { installImage } from "../state/node_configuration.ts";
import { runningRelease } from "../release/release.ts";
import {
  firstEntry,
  install,
  type InstallerImage,
  installerImage,
} from "../release/boot_entries.ts";
import { TaskFailure } from "./run_sequence.ts";

interface InstallerRun {
  readonly image: string;
  /** True when a system is installed already and is kept for rollback. */
  readonly upgrade: boolean;
  /** Called with every line of output. */
  readonly say: (line: string) => void;
}

/** Runs an installer to completion. Returns its exit status; 137 on power loss. */
export async function runInstaller(
  node: SimulatedNode,
  { image, upgrade, say }: InstallerRun,
): Promise<number> {
  const { boot } = node;
  const { signal } = boot.power;
  const host = runningRelease(node).tag;
  const brought = installerImage(image, host) ?? { tag: host };
  const log = (text: string) =>
    say(`${logTime(new Date(node.clock.now())).slice(0, 19)} ${text}`);
  boot.installer = commandLine(upgrade);
  try {
    log(`running ${runtimeName} installer ${brought.tag}`);
    await node.clock.sleep(node.pace.installMs, signal);
    if (signal.aborted) return 137;
    const refusal = triggerFault(node, "installer-fails", "Upgrade")
      ? ""
      : upgrade
      ? preflightRefusal(brought.tag, host)
      : undefined;
    if (refusal !== undefined) return fail(say, refusal);
    await put(node, brought, { upgrade, log });
    node.counts.installs++;
    return 0;
  } finally {
    boot.installer = undefined;
  }
}

function fail(say: InstallerRun["say"], refusal: string): number {
  if (refusal !== "") say(`Error: pre-flight checks failed: ${refusal}`);
  for (const line of usage) say(line);
  if (refusal !== "") say(`pre-flight checks failed: ${refusal}`);
  return 1;
}

/** Writes the image to the disk and selects it for the next boot. */
async function put(
  node: SimulatedNode,
  brought: InstallerImage,
  { upgrade, log }: {
    readonly upgrade: boolean;
    readonly log: (text: string) => void;
  },
): Promise<void> {
  log("running pre-flight checks");
  log(`host ${runtimeName} version: ${runningRelease(node).tag}`);
  log("all pre-flight checks successful");
  const before = node.disk.bootEntries;
  if (upgrade && before) {
    const names = before.installed.map(({ name }) => name).join(" ");
    log(`sd-boot: found existing UKIs during install: [${names}]`);
    const { entries, previous, removed } = install(before, brought);
    for (const name of removed) log(`removing old UKI: ${folder}/${name}`);
    node.disk.bootEntries = entries;
    setMeta(node, metaKey.upgrade, new TextEncoder().encode(previous));
  } else {
    node.disk.bootEntries = firstEntry(brought);
    deleteMeta(node, metaKey.upgrade);
  }
  const assets = "/usr/install/amd64";
  log(
    `copying ${assets}/vmlinuz.efi to ${folder}/${node.disk.bootEntries.chosen}`,
  );
  log(
    `copying ${assets}/systemd-boot.efi to /boot/EFI/EFI/boot/BOOTX64.efi`,
  );
  log("updating EFI variables");
  await node.save();
  log(`installation of ${brought.tag} complete`);
}

const folder = "/boot/EFI/EFI/Linux";

function commandLine(upgrade: boolean): string {
  return [
    "/bin/installer install",
    "--disk=/dev/vda",
    "--platform=metal",
    "--config=none",
    `--upgrade=${upgrade}`,
    `--force=${!upgrade}`,
    "--zero=false",
  ].join(" ");
}

/** Usage text that an installer prints instead of an error. */
const usage: readonly string[] = [
  "Usage:",
  "  installer install [flags]",
  "",
  "Flags:",
  "  -h, --help   help for install",
  "",
  "Global Flags:",
  "      --arch string",
  `      --config string             (talos.config)`,
  "      --disk string",
  "      --extra-kernel-arg stringArray",
  "      --force",
  "      --meta stringArray",
  `      --platform string           (talos.platform)`,
  "      --upgrade",
  "      --zero",
  "",
];

/**
 * Reason an installer refuses to install its release over another one.
 *
 * @param tag Version of the installer, with `v`.
 * @param host Running version, with `v`.
 * @returns `undefined` if it accepts: two minor versions back, one forward, and any tag that is not a 1.x version.
 */
export function preflightRefusal(
  tag: string,
  host: string,
): string | undefined {
  const [to, from] = [decodeMinor(tag), decodeMinor(host)];
  if (to === undefined || from === undefined) return undefined;
  const [own, other] = [host.slice(1), `${osName} ${tag.slice(1)}`];
  if (from < to - 2) {
    return `host version ${own} is too old to upgrade to ${other}`;
  }
  return from >= to + 2
    ? `host version ${own} is too new to downgrade to ${other}`
    : undefined;
}

function decodeMinor(tag: string): number | undefined {
  const version = parseMinor(tag);
  return version?.major === 1 ? version.minor : undefined;
}

interface PendingInstallation {
  readonly image: string;
  readonly upgrade: boolean;
}

/** Returns the pending installation; clears a staged one, so that it is tried only once. */
export async function pendingInstallation(
  node: SimulatedNode,
): Promise<PendingInstallation | undefined> {
  const staged = node.disk.meta.get(metaKey.stagedImage);
  const hasOptions = deleteMeta(node, metaKey.stagedOptions);
  if (deleteMeta(node, metaKey.stagedImage)) await node.save();
  if (node.disk.bootEntries === undefined) {
    const { tag } = runningRelease(node);
    const image = installImage(node) ?? defaultInstaller(tag);
    return { image, upgrade: false };
  }
  if (staged === undefined || !hasOptions) return undefined;
  return { image: new TextDecoder().decode(staged), upgrade: true };
}

/** Runs a task of an installation. */
export function installTask(
  { image, upgrade }: PendingInstallation,
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
    if (!upgrade && !isPullable(image)) {
      throw new TaskFailure(
        `task "install" failed: failed to pull installer "${image}": ${image}: not found`,
      );
    }
    const status = await runInstaller(node, { image, upgrade, say });
    if (status === 0) return await node.save();
    // A failed first installation leaves the disk empty, without a configuration.
    if (!upgrade) {
      node.disk.configured = false;
      await node.save();
    }
    throw new TaskFailure(`task "upgrade" failed: exit code ${status}`);
  };
}
