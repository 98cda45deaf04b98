import { OsctlError, UsageError } from "../errors.ts";
import {
  type FileInfo,
  ListRequest_Type,
} from "../transport/gen/machine_files.ts";
import { isoTime } from "../transport/node/timestamp.ts";
import {
  bytesText,
  cell,
  type Command,
  type Environment,
  type Flag,
  InputProblem,
  integer,
  optionalWord,
  relativeTime,
  strings,
  table,
  toggle,
  type Values,
  type View,
} from "./_kit/mod.ts";

/** A file of a node. Source: `MachineService.List`. */
interface ListRow {
  readonly node: string;
  /** Path below the listed directory; `.` for itself. */
  readonly name: string;
  readonly path: string;
  readonly kind: FileKind;
  /** File type and permissions as text, such as `drwxr-xr-x`. */
  readonly mode: string;
  /** Permissions in octal, four digits. */
  readonly permissions: string;
  readonly uid: number;
  readonly gid: number;
  /** Size in bytes. */
  readonly size: number;
  /**
   * Modification time, ISO 8601, whole seconds; empty outside the years 1 to
   * 9999.
   */
  readonly modified: string;
  /** Target of a symbolic link; empty for others. */
  readonly link: string;
  /** SELinux label, only with `--long`; empty if there is none. */
  readonly label: string;
}

/** File type accepted by `--type`. */
type FileType = keyof typeof types;

/** Letters of `--type`. */
export const types = {
  f: ListRequest_Type.REGULAR,
  d: ListRequest_Type.DIRECTORY,
  l: ListRequest_Type.SYMLINK,
  L: ListRequest_Type.SYMLINK,
} as const;

const inputs = {
  path: optionalWord("directory; default /", { complete: "paths" }),
  depth: integer("maximum number of levels to descend", {
    short: "d",
    initial: 1,
    least: 0,
  }),
  recurse: toggle("descend all levels", { short: "r" }),
  long: toggle("show mode, owner, size and time", { short: "l" }),
  humanize: toggle("human-readable sizes and ages, with --long", {
    short: "H",
  }),
  type: fileTypes(),
};

type ListInputs = Values<typeof inputs>;

export const command = {
  summary: "List files",
  description:
    `Files that cannot be read are reported on standard error, and their node counts as failed; all other files are listed.`,
  aliases: ["ls"],
  inputs,
  examples: [
    "list /etc --nodes 10.0.0.2",
    "list -lH /var/log --depth 2",
    "list / --recurse --type f --output jsonl",
  ],
  view,
  async *run({ input, nodes, note }) {
    const { path, depth, recurse, long, type } = input;
    if (recurse && depth !== 1) {
      throw new UsageError(
        `Flags --recurse and --depth ${depth} cannot be combined`,
        { hint: "Use only one of them" },
      );
    }
    const request = {
      root: path ?? "/",
      recurse: recurse || depth > 1,
      recursionDepth: recurse ? -1 : depth,
      types: type.map((letter) => types[letter]),
      reportXattrs: long,
    };
    const files = nodes.stream(({ node, machine }) =>
      readable(
        machine.list(request),
        (problem) => note(`warning: ${node}: ${cell(problem)}`),
      )
    );
    for await (const { node, value } of files) yield toRow(node, value);
  },
} satisfies Command<ListRow, ListInputs>;

/** Yields the readable files; fails at the end if there were others. */
async function* readable(
  files: AsyncIterable<FileInfo>,
  warn: (problem: string) => void,
): AsyncGenerator<FileInfo> {
  let unreadable = 0;
  for await (const file of files) {
    if (file.error === "") yield file;
    else {
      unreadable++;
      warn(`Cannot read "${file.name}": ${file.error}`);
    }
  }
  if (unreadable > 0) {
    throw new OsctlError(
      unreadable === 1
        ? "1 file could not be read"
        : `${unreadable} files could not be read`,
    );
  }
}

function toRow(node: string, file: FileInfo): ListRow {
  const label = file.xattrs.find(({ name }) => name === "security.selinux");
  return {
    node,
    name: file.relativeName,
    path: file.name,
    kind: fileKind(file.mode),
    mode: modeText(file.mode),
    permissions: octalMode(file.mode),
    uid: file.uid,
    gid: file.gid,
    size: Number(file.size),
    modified: isoTime({ seconds: file.modified, nanos: 0 }),
    link: file.link,
    label: new TextDecoder().decode(label?.data).replace(/[\0\n]+$/, ""),
  };
}

function view(
  { long, humanize }: ListInputs,
  { now }: Environment,
): View<ListRow> {
  if (!long) {
    return table({ NODE: ({ node }) => node, NAME: ({ name }) => name });
  }
  return table({
    NODE: { cell: ({ node }) => node, name: true },
    MODE: { cell: ({ mode }) => mode, priority: 0 },
    UID: { cell: ({ uid }) => String(uid), priority: 4 },
    GID: { cell: ({ gid }) => String(gid), priority: 5 },
    [humanize ? "SIZE" : "SIZE(B)"]: {
      cell: ({ size }) => humanize ? bytesText(size) : String(size),
      value: ({ size }) => size,
      priority: 0,
    },
    LASTMOD: {
      cell: ({ modified }) =>
        humanize ? relativeTime(modified, now()) : localTime(modified, now()),
      value: ({ modified }) => modified,
      priority: 0,
    },
    LABEL: { cell: ({ label }) => label, priority: 6 },
    NAME: {
      cell: ({ name, link }) => link === "" ? name : `${name} -> ${link}`,
      value: ({ name }) => name,
      short: ({ name }) => name,
      name: true,
    },
  });
}

// deno-fmt-ignore
const months = [
  "Jan", "Feb", "Mar", "Apr", "May", "Jun",
  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

const halfYearMs = 180 * 24 * 60 * 60 * 1000;

/** Local time in the format of `ls`: with the time if recent, else the year. */
function localTime(modified: string, now: Date): string {
  const date = new Date(modified);
  if (Number.isNaN(date.getTime())) return modified;
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${months[date.getMonth()]} ${
    String(date.getDate()).padStart(2)
  }`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return now.getTime() - date.getTime() < halfYearMs
    ? `${day} ${time}:${two(date.getSeconds())}`
    : `${day} ${date.getFullYear()} ${time}`;
}

/** Letters may be joined, separated by commas or given one by one. */
function fileTypes(): Flag<readonly FileType[]> {
  return {
    ...strings(
      "types to list: f for files, d for directories, l for symbolic links",
      { short: "t" },
    ),
    initial: [],
    parse(value, before) {
      const letters = [...value].filter((letter) => !/[,\s]/.test(letter));
      return [...before ?? [], ...letters.map(fileType)];
    },
  };
}

function fileType(letter: string): FileType {
  if (Object.hasOwn(types, letter)) return letter as FileType; // key of the table
  throw new InputProblem(`"${letter}" is not one of the types f, d, l`);
}

/** Letters of the file mode bits, from the highest bit down. */
const letters = "dalTLDpSugct?";

/** File types by bit; if several are set, the first one counts. */
const kinds: readonly (readonly [bit: number, kind: FileKind])[] = [
  [31, "directory"],
  [27, "symlink"],
  [25, "pipe"],
  [24, "socket"],
  [26, "device"],
  [19, "other"],
];

/** Type of a file. */
type FileKind =
  | "file"
  | "directory"
  | "symlink"
  | "pipe"
  | "socket"
  | "device"
  | "other";

/**
 * Formats a mode like talosctl. Returns text such as `-rw-r--r--`,
 * `drwxr-xr-x`, `Lrwxrwxrwx`, `Dcrw-rw-rw-`, `dtrwxrwxrwx`.
 */
function modeText(mode: number): string {
  const kind = [...letters].filter((_, i) => hasBit(mode, 31 - i)).join("");
  const permissions = [..."rwxrwxrwx"].map((letter, i) =>
    hasBit(mode, 8 - i) ? letter : "-"
  );
  return (kind || "-") + permissions.join("");
}

/** Permissions in octal, with setuid, setgid and sticky bits. Returns four digits: `0644`, `4755`. */
function octalMode(mode: number): string {
  const special = (hasBit(mode, 23) ? 4 : 0) + (hasBit(mode, 22) ? 2 : 0) +
    (hasBit(mode, 20) ? 1 : 0);
  return `${special}${(mode & 0o777).toString(8).padStart(3, "0")}`;
}

/** Returns the type of a file. */
function fileKind(mode: number): FileKind {
  return kinds.find(([bit]) => hasBit(mode, bit))?.[1] ?? "file";
}

function hasBit(mode: number, bit: number): boolean {
  return (mode >>> bit & 1) === 1;
}
