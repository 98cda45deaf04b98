/** File entries of simulated nodes. */

interface EntryOptions {
  /** Permission bits; default 0755 for directories, 0777 for links, otherwise 0644. */
  readonly permissions?: number;
  /** Owner and group; default 0. */
  readonly owner?: number;
  /** SELinux type: `etc_t`; default that of the directory. */
  readonly label?: string;
}

/** A directory. */
export interface Directory<N> extends EntryOptions {
  readonly kind: "directory";
  readonly entries: Readonly<Record<string, FileEntry<N>>>;
  /** Additional files that only some nodes have, or that change. */
  readonly own?: (node: N) => Readonly<Record<string, FileEntry<N>>>;
}

interface Link extends EntryOptions {
  readonly kind: "link";
  readonly target: string;
}

/** A file with contents. */
export interface RegularFile<N> extends EntryOptions {
  readonly kind: "file";
  /** Listed size in bytes; 0 for kernel files. */
  readonly size: (node: N) => number;
  /** Contents in chunks; omitted, opening it is not allowed. */
  readonly read?: (node: N) => Iterable<Uint8Array>;
}

interface Device extends EntryOptions {
  readonly kind: "device";
  /** True for a character device, false for a block device. */
  readonly isCharacter: boolean;
}

/** A file of any kind; its contents may depend on a node of type `N`. */
export type FileEntry<N> = Directory<N> | Link | RegularFile<N> | Device;

/** Listed size of a file, in bytes. */
export function sizeIn<N>(node: N, entry: FileEntry<N>): number {
  switch (entry.kind) {
    case "file":
      return entry.size(node);
    case "link":
      return entry.target.length;
    case "directory":
      return 4096;
    case "device":
      return 0;
  }
}

/** Makes a directory. */
export function directory<N>(
  entries: Directory<N>["entries"],
  common: EntryOptions = {},
): Directory<N> {
  return { kind: "directory", entries, ...common };
}

/** Files in a directory, by name. */
export function listEntries<N>(
  node: N,
  { entries, own }: Directory<N>,
): Readonly<Record<string, FileEntry<N>>> {
  return own === undefined ? entries : { ...entries, ...own(node) };
}

/** Makes a symbolic link. */
export function link(target: string): Link {
  return { kind: "link", target };
}

/** Makes a text file, the same on every node or per node. */
export function text<N>(
  content: string | ((node: N) => string),
  common: EntryOptions = {},
): RegularFile<N> {
  const bytes = (node: N) =>
    new TextEncoder().encode(
      typeof content === "string" ? content : content(node),
    );
  return {
    kind: "file",
    size: (node) => bytes(node).length,
    read: (node) => [bytes(node)],
    ...common,
  };
}

/** Makes a kernel text file, listed with size 0. */
export function kernelText<N>(
  content: string | ((node: N) => string),
): RegularFile<N> {
  return { ...text(content), size: () => 0, permissions: 0o444 };
}

/** Makes a write-only kernel file. */
export function writeOnly(): RegularFile<unknown> {
  return { kind: "file", size: () => 0, permissions: 0o200 };
}

/** Makes a device. */
export function device(isCharacter: boolean): Device {
  return { kind: "device", isCharacter, permissions: 0o600 };
}
