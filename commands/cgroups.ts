import { readBoundedText } from "../lib/files/bounded_file.ts";
import { ConfigError, RpcError, UsageError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { payload } from "../transport/call/payload.ts";
import { single } from "../transport/call/reply.ts";
import { readContainers } from "../transport/node/containers.ts";
import { archiveEntries } from "../lib/archive/entries.ts";
import {
  type CgroupColumn,
  type ColumnCell,
  type ColumnValue,
  listFiles,
  toCell,
} from "./_cgroups/column.ts";
import { type CgroupPreset, cgroupPresets } from "./_cgroups/presets.ts";
import { readColumns } from "./_cgroups/schema_file.ts";
import { readCgroups, walkCgroups } from "./_cgroups/tree.ts";
import {
  type Command,
  type Context,
  InputProblem,
  tableBy,
  text,
  toggle,
  type Values,
} from "./_kit/mod.ts";

/** A cgroup of a node. Source: `/sys/fs/cgroup`. */
interface CgroupRow {
  readonly node: string;
  /** Path below the cgroup root; empty for the root. */
  readonly path: string;
  /** Name: of a service, `namespace/pod` or a container; `.` for the root. */
  readonly name: string;
  /** Tree lines before the name. */
  readonly branch: string;
  /**
   * Values by column: bytes, seconds, percent; `max` for no limit, null for
   * none. Values per device are a list, in header order.
   */
  readonly values: Readonly<Record<string, ColumnValue>>;
  /** Formatted values, by column. */
  readonly texts: Readonly<Record<string, string>>;
}

const presetNames = Object.keys(cgroupPresets);

const inputs = {
  preset: {
    ...text(`columns to show, one of ${presetNames.join(", ")}`),
    choices: presetNames,
    parse(value: string): CgroupPreset {
      if (Object.hasOwn(cgroupPresets, value)) return value as CgroupPreset; // key of the record
      throw new InputProblem(`must be one of ${presetNames.join(", ")}`);
    },
    initial: undefined as CgroupPreset | undefined,
  },
  schemaFile: text("file with the columns to show, YAML or JSON", {
    complete: "files",
  }),
  skipCriResolve: toggle(
    "do not look up the names of pods and containers",
  ),
};

type CgroupsInputs = Values<typeof inputs>;

export const command = {
  summary: "Show usage by control group",
  description:
    `Shows the tree of control groups (version 2) with the names of services, pods and containers. --preset or
--schema-file selects the columns.

A schema file names its columns and where their values are:

    columns:
      - name: Memory
        value: memory.current
        format: bytes
      - name: CPU/%
        value: cpu.stat/usage_usec
        percentOf: parent
      - name: Read
        value: io.stat/*/rbytes
        format: bytes

"osctl cgroups schema" prints the JSON Schema of such files, with every key and format.`,
  aliases: ["cg"],
  inputs,
  examples: [
    "cgroups --preset memory --nodes 10.0.0.2",
    "cgroups --preset psi --nodes @workers --output jsonl",
    "cgroups --schema-file columns.yaml --nodes 10.0.0.2",
  ],
  view: tableBy<CgroupRow>(({ texts }) => [
    { header: "NODE", cell: (row) => row.node, name: true },
    { header: "NAME", cell: branchName, short: branchName, name: true },
    ...Object.keys(texts).map((header, i) => ({
      header,
      cell: (row: CgroupRow) => row.texts[header] ?? "",
      priority: i,
    })),
  ]),
  async *run({ input, nodes, note }) {
    const columns = await loadColumns(input);
    const rows = nodes.stream((client) =>
      readGroups(client, columns, {
        skipNames: input.skipCriResolve,
        warn: (text) => note(`warning: ${client.node}: ${text}`),
      })
    );
    for await (const { node, value } of rows) yield { node, ...value };
  },
} satisfies Command<CgroupRow, CgroupsInputs>;

function branchName({ branch, name }: CgroupRow): string {
  return `${branch}${name}`;
}

async function loadColumns(
  { preset, schemaFile: path }: CgroupsInputs,
): Promise<readonly CgroupColumn[]> {
  if ((preset === undefined) === (path === undefined)) {
    throw new UsageError(
      path === undefined
        ? "Either --preset or --schema-file is required"
        : "Flags --preset and --schema-file cannot be combined",
      { hint: `Presets are ${presetNames.join(", ")}` },
    );
  }
  if (path === undefined) return cgroupPresets[preset ?? "cpu"];
  const expected = "a file with columns";
  const content = await readBoundedText({ path, limitMib: 1, expected });
  if (content === undefined) {
    throw new ConfigError(`Cannot read "${path}": no such file`);
  }
  return readColumns(content, path);
}

interface CgroupReading {
  readonly skipNames: boolean;
  readonly warn: Context<unknown>["note"];
}

async function* readGroups(
  client: NodeClient,
  columns: readonly CgroupColumn[],
  { skipNames, warn }: CgroupReading,
): AsyncGenerator<Omit<CgroupRow, "node">> {
  const lacking: string[] = [];
  const unless = async (
    what: string,
    names: Promise<ReadonlyMap<string, string>>,
  ): Promise<ReadonlyMap<string, string>> => {
    try {
      return await names;
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      lacking.push(`no names of ${what}: ${error.message}`);
      return new Map();
    }
  };
  const [processes, devices, folders] = await Promise.all([
    unless("processes", processNames(client)),
    unless("devices", deviceNames(client)),
    skipNames ? new Map() : unless("containers", folderNames(client)),
  ]);
  const root = await readCgroups(
    archiveEntries(readArchive(client, "/sys/fs/cgroup")),
    new Set(columns.flatMap(listFiles)),
    (folder) => folders.get(folder) ?? folder,
  );
  // For a node that is down, the error is enough.
  for (const text of lacking) warn(text);
  for (const { group, parent, branch } of walkCgroups(root)) {
    const place = { group, processes, devices, ...parent && { parent } };
    const cells = columns.map((column) =>
      [column.name, toCell(column, place)] as const
    );
    const pick = <T>(part: (cell: ColumnCell) => T) =>
      Object.fromEntries(cells.map(([name, cell]) => [name, part(cell)]));
    yield {
      path: group.path,
      name: group.name,
      branch,
      values: pick(({ value }) => value),
      texts: pick(({ text }) => text),
    };
  }
}

/** A directory of a node as an archive. Ignores write-only files, which the node reports each time. */
async function* readArchive(
  { machine }: NodeClient,
  rootPath: string,
): AsyncGenerator<Uint8Array> {
  const reports: RpcError[] = [];
  let isEmpty = true;
  const reported = (report: RpcError) => void reports.push(report);
  for await (const chunk of payload(machine.copy({ rootPath }), { reported })) {
    isEmpty = false;
    yield chunk;
  }
  if (isEmpty && reports[0] !== undefined) throw reports[0];
}

async function processNames(
  { machine }: NodeClient,
): Promise<ReadonlyMap<string, string>> {
  const { messages } = await machine.processes({});
  return new Map(
    single(messages).processes.map(({ pid, executable, command, args }) => {
      const name = executable || command || args.split(" ")[0] || "";
      return [String(pid), name.slice(name.lastIndexOf("/") + 1)];
    }),
  );
}

/** Names of disks and partitions by device number, `254:1`. */
async function deviceNames(
  client: NodeClient,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const archive = readArchive(client, "/sys/dev/block");
  for await (const { name, kind, target } of archiveEntries(archive)) {
    if (kind === "symlink") {
      names.set(name, target.slice(target.lastIndexOf("/") + 1));
    }
  }
  return names;
}

/** Display names for the directories of pods and containers. */
async function folderNames(
  client: NodeClient,
): Promise<ReadonlyMap<string, string>> {
  const containers = await readContainers(client, true);
  const names = new Map<string, string>();
  for (const { uid, id, podId, internalId, name } of containers) {
    if (uid !== "" && podId !== "") names.set(`pod${uid}`, podId);
    if (internalId !== "") {
      names.set(internalId, id === podId ? "sandbox" : name);
    }
  }
  return names;
}
