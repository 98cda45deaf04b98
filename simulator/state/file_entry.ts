/** Files of simulated nodes: what one is. */

interface EntryOptions {
  /** Permission bits; default 0755 for directories, 0777 for links, else 0644. */
  readonly permissions?: number;
  /** Owner and group; default 0. */
  readonly owner?: number;
  /** Type in its security label: `etc_t`; default that of the directory. */
  readonly label?: string;
}

/** A directory. */
export interface Directory<N> extends EntryOptions {
  readonly kind: "directory";
  readonly entries: Readonly<Record<string, FileEntry<N>>>;
  /** Further files that some nodes have, or that come and go. */
  readonly own?: (node: N) => Readonly<Record<string, FileEntry<N>>>;
}

interface Link extends EntryOptions {
  readonly kind: "link";
  readonly target: string;
}

/** A file with contents. */
export interface RegularFile<N> extends EntryOptions {
  readonly kind: "file";
  /** Size in bytes as its directory shows it; files of the kernel show 0. */
  readonly size: (node: N) => number;
  /** Contents in parts; omitted, opening it is not allowed. */
  readonly read?: (node: N) => Iterable<Uint8Array>;
}

interface Device extends EntryOptions {
  readonly kind: "device";
  /** True for a character device, false for a block device. */
  readonly isCharacter: boolean;
}

/** A file of any kind; what it holds may depend on a node of type `N`. */
export type FileEntry<N> = Directory<N> | Link | RegularFile<N> | Device;

/** Size of a file as its directory shows it, in bytes. */
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

/** Makes a file with text in it, the same on every node or made for each. */
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

/** Makes a file of the kernel: text that shows size 0. */
export function kernelText<N>(
  content: string | ((node: N) => string),
): RegularFile<N> {
  return { ...text(content), size: () => 0, permissions: 0o444 };
}

/** Makes a file of the kernel that can only be written. */
export function writeOnly(): RegularFile<unknown> {
  return { kind: "file", size: () => 0, permissions: 0o200 };
}

/** Makes a device. */
export function device(isCharacter: boolean): Device {
  return { kind: "device", isCharacter, permissions: 0o600 };
}
