/** Boot loader entries of a node, as in systemd-boot: one image per entry. */

import { runtimeName } from "../../talos.ts";

/** Boot loaders; releases up to v1.9 install GRUB. */
export type LoaderKind = "systemd-boot" | "grub";

interface BootEntry {
  /** File name, which identifies it in the boot loader. */
  readonly name: string;
  /** Version of the operating system in it, with `v`. */
  readonly tag: string;
  /** Schematic ID of the image, 64 hexadecimal digits; absent if unknown. */
  readonly schematic?: string;
}

/** State of the boot loader. */
export interface BootEntries {
  /** Installed images by name. */
  readonly installed: readonly BootEntry[];
  /** Name of the entry for the next boot: the variable `LoaderEntryDefault`. */
  readonly chosen: string;
  /** The running entry; its image may have been removed. */
  readonly running: BootEntry;
}

/** State of the boot loader after the first installation. */
export function firstEntry(image: InstallerImage): BootEntries {
  const only = toEntry(image, []);
  return { installed: [only], chosen: only.name, running: only };
}

/**
 * Installs another image.
 *
 * The entry selected for the next boot is kept for rollback, and all others are removed. A second installation before
 * the next boot therefore removes the running image.
 */
export function install(
  { installed, chosen, running }: BootEntries,
  image: InstallerImage,
): {
  readonly entries: BootEntries;
  /** Name of the rollback entry; empty if there is none. */
  readonly previous: string;
  readonly removed: readonly string[];
} {
  const fresh = toEntry(image, installed);
  const kept = installed.filter(({ name }) => name === chosen);
  const removed = installed.filter(({ name }) => name !== chosen);
  const entries = {
    installed: [...kept, fresh].toSorted(byName),
    chosen: fresh.name,
    running,
  };
  return {
    entries,
    previous: kept[0]?.name ?? "",
    removed: removed.map(({ name }) => name),
  };
}

/** Selects the other entry for the next boot. Returns `undefined` if there is no other. */
export function chooseOther(entries: BootEntries): BootEntries | undefined {
  const other = entries.installed.find(({ name }) => name !== entries.chosen);
  return other && { ...entries, chosen: other.name };
}

/** Boots the selected entry. */
export function startChosen(entries: BootEntries): BootEntries {
  const next = entries.installed.find(({ name }) => name === entries.chosen);
  return next === undefined ? entries : { ...entries, running: next };
}

/** Makes an entry with a unique name: an existing version gets a number. */
function toEntry(
  { tag, schematic }: InstallerImage,
  installed: readonly BootEntry[],
): BootEntry {
  const stem = `${runtimeName}-${tag}`;
  const numbers = installed.flatMap(({ name }) => {
    const [base, number] = name.replace(/\.efi$/, "").split("~");
    return base === stem ? [Number(number ?? 0)] : [];
  });
  const suffix = numbers.length === 0 ? "" : `~${Math.max(...numbers) + 1}`;
  const name = `${stem}${suffix}.efi`;
  return schematic === undefined ? { name, tag } : { name, tag, schematic };
}

function byName(a: BootEntry, b: BootEntry): number {
  return a.name < b.name ? -1 : 1;
}

/** Contents of an installer image. */
export interface InstallerImage {
  /** Version of the operating system, with `v`. */
  readonly tag: string;
  /** Schematic ID of the image, 64 hexadecimal digits; absent if unknown. */
  readonly schematic?: string;
}

/**
 * Parses the name of an installer image.
 *
 * @param reference `registry/installer:v1.12.11`, or `registry/metal-installer/<schematic>:v1.12.11`.
 * @param otherwise Version of an image without a tag.
 * @returns `undefined` if it is not an installer image.
 */
export function installerImage(
  reference: string,
  otherwise: string,
): InstallerImage | undefined {
  const [named = ""] = reference.split("@");
  const [, path = named, tag = otherwise] = /^(.*):([^:/]+)$/.exec(named) ?? [];
  const parts = path.split("/");
  if (!parts.some((part) => /(^|-)installer(-|$)/.test(part))) return undefined;
  const last = parts.at(-1) ?? "";
  return /^[0-9a-f]{64}$/.test(last) ? { tag, schematic: last } : { tag };
}
