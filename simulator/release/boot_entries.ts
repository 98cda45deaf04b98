/** What the boot loader of a node can start, as systemd-boot keeps it: one image per entry. */

import { runtimeName } from "../../talos.ts";

/** Programs that start the system: GRUB was installed by releases up to v1.9. */
export type LoaderKind = "systemd-boot" | "grub";

interface BootEntry {
  /** Name of its file; loaders know it by that. */
  readonly name: string;
  /** Version of the operating system in it, with `v`. */
  readonly tag: string;
  /** What the image was made from, 64 hexadecimal digits; absent when it does not say. */
  readonly schematic?: string;
}

/** State of the boot loader. */
export interface BootEntries {
  /** Images that are there, by name. */
  readonly installed: readonly BootEntry[];
  /** Name of the one that the next boot starts: the variable `LoaderEntryDefault`. */
  readonly chosen: string;
  /** The one that runs; its image may be gone. */
  readonly running: BootEntry;
}

/** State of the boot loader of a disk that was empty. */
export function firstEntry(image: InstallerImage): BootEntries {
  const only = toEntry(image, []);
  return { installed: [only], chosen: only.name, running: only };
}

/**
 * Installs another image.
 *
 * The entry that the next boot would have started is kept as the one to go
 * back to, and every other is removed. A second installation before the next
 * boot therefore removes the image that runs.
 */
export function install(
  { installed, chosen, running }: BootEntries,
  image: InstallerImage,
): {
  readonly entries: BootEntries;
  /** Name of the entry to go back to; empty when there is none. */
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

/** Chooses the entry that the next boot would not have started. Returns `undefined` when there is no other. */
export function chooseOther(entries: BootEntries): BootEntries | undefined {
  const other = entries.installed.find(({ name }) => name !== entries.chosen);
  return other && { ...entries, chosen: other.name };
}

/** Starts the entry that was chosen. */
export function startChosen(entries: BootEntries): BootEntries {
  const next = entries.installed.find(({ name }) => name === entries.chosen);
  return next === undefined ? entries : { ...entries, running: next };
}

/** A name that no entry has: versions that are there already get a number. */
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

/** What an installer brings. */
export interface InstallerImage {
  /** Version of the operating system, with `v`. */
  readonly tag: string;
  /** What the image was made from, 64 hexadecimal digits; absent when it does not say. */
  readonly schematic?: string;
}

/**
 * Reads the name of an installer image.
 *
 * @param reference `registry/installer:v1.12.11`, or `registry/metal-installer/<schematic>:v1.12.11`.
 * @param otherwise Version of an image whose name has no tag.
 * @returns `undefined` when it is the image of something else.
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
