/** Installers that run on simulated nodes. */

import { runtimeName, systemName } from "../../dialect.ts";
import { firstEntry, install } from "./boot_entries.ts";
import { strikes } from "../faults/faults.ts";
import { type InstallerImage, installerImage } from "./installer_image.ts";
import { slashed } from "../node/logs.ts";
import { deleteMeta, metaKey, setMeta } from "../node/meta.ts";
import type { SimulatedNode } from "../node/node.ts";
import { preflightRefusal } from "./preflight.ts";
import { runningRelease } from "../node/running_release.ts";

/** One run of an installer. */
export interface Installation {
  /** Name of its image; with a tag. */
  readonly image: string;
  /** True when a system is there already, and stays to go back to. */
  readonly upgrade: boolean;
  /** Told every line it writes. */
  readonly say: (line: string) => void;
}

/**
 * Runs an installer; what it installs is there when it ends.
 *
 * @returns Its exit status; 137 when the power went.
 */
export async function runInstaller(
  node: SimulatedNode,
  { image, upgrade, say }: Installation,
): Promise<number> {
  const { boot } = node;
  const { signal } = boot.power;
  const host = runningRelease(node).tag;
  const brought = installerImage(image, host) ?? { tag: host };
  const log = (text: string) =>
    say(`${slashed(new Date(node.clock.now())).slice(0, 19)} ${text}`);
  boot.installer = commandLine(upgrade);
  try {
    log(`running ${runtimeName} installer ${brought.tag}`);
    await node.clock.sleep(node.pace.installMs, signal);
    if (signal.aborted) return 137;
    const refusal = strikes(node, "installer-fails", "Upgrade")
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

function fail(say: Installation["say"], refusal: string): number {
  if (refusal !== "") say(`Error: pre-flight checks failed: ${refusal}`);
  for (const line of usage) say(line);
  if (refusal !== "") say(`pre-flight checks failed: ${refusal}`);
  return 1;
}

/** Writes the image to the disk and chooses it for the next boot. */
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

/** What an installer says about itself when it does not say what is wrong. */
const usage: readonly string[] = [
  "Usage:",
  "  installer install [flags]",
  "",
  "Flags:",
  "  -h, --help   help for install",
  "",
  "Global Flags:",
  "      --arch string",
  `      --config string             (${systemName}.config)`,
  "      --disk string",
  "      --extra-kernel-arg stringArray",
  "      --force",
  "      --meta stringArray",
  `      --platform string           (${systemName}.platform)`,
  "      --upgrade",
  "      --zero",
  "",
];
