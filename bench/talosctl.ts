/** osctl compared with talosctl's program, alternately and against the same servers. */

import { clientConfigField, peerProgramVariable } from "../talos.ts";
import { startCluster } from "../simulator/cluster/cluster.ts";
import type { Ignored, Measurement } from "../tools/bench.ts";
import { VersionResponse } from "../transport/gen/machine.ts";
import { type Duel, executable } from "./_bench.ts";
import { millionLines, packFiles, repeatReply, zeros } from "./_contents.ts";
import {
  configure,
  goServer,
  replayServer,
  startServer,
} from "./_fast_server.ts";
import { nothing, oneCall } from "./_runtime_floor.ts";
import { fillWithAddresses } from "./_resources.ts";

interface Spent {
  readonly wall: number[];
  readonly memory: number[];
  /** Processor time of all runs, in ticks of 10 ms. */
  cpu: number;
}

interface Programs {
  readonly osctl: string;
  readonly peer: string;
  readonly folder: string;
}

/**
 * Measures whole processes alternately, so that other load affects both.
 *
 * @returns Ratios of medians, ours by talosctl's.
 */
export async function run(): Promise<readonly (Measurement | Ignored)[]> {
  const peer = Deno.env.get(peerProgramVariable);
  if (peer === undefined) {
    return [{ name: "all", ignored: `${peerProgramVariable} is not set` }];
  }
  const folder = await Deno.makeTempDir();
  try {
    const programs = { osctl: await executable(folder), peer, folder };
    const unpacks = { argv: ["--help"], rounds: 1 };
    await takeTurns(programs, "", unpacks);
    const go = await goServer(folder);
    const built = typeof go !== "string";
    const server = built ? go : replayServer;
    return [
      ...built ? [] : [{ name: "grpc-go server", ignored: go }],
      ...await withoutNodes(programs),
      ...await onServer(programs, server, 65_536, 2e9),
      ...await onServer(programs, server, 1_024, 5e8),
      ...await onFiveNodes(programs),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const patch = '{"machine": {"network": {"hostname": "bench"}}}';

async function withoutNodes(
  programs: Programs,
): Promise<readonly Measurement[]> {
  const config = ["gen", "config", "demo", "https://10.0.0.1:6443"];
  const file = `${programs.folder}/made/controlplane.yaml`;
  await once(programs.osctl, [...config, "-o", `${programs.folder}/made`], {
    env: { XDG_CACHE_HOME: programs.folder },
    folder: programs.folder,
    spent: undefined,
  });
  const duel = { rounds: 15, wall: 1 };
  const validated = ["validate", "--mode", "metal", "--config", file];
  const floor = {
    name: "an empty program, and validate",
    argv: await nothing(programs.folder),
    peerArgv: validated,
    rounds: 15,
  };
  const runtime = { ...programs, osctl: Deno.execPath() };
  const floors = await compareAll(runtime, "", [floor]);
  const measured = await compareAll(programs, "", [
    { ...duel, name: "--help", argv: ["--help"] },
    { ...duel, name: "version --client", argv: ["version", "--client"] },
    { ...duel, name: "completion bash", argv: ["completion", "bash"] },
    {
      ...duel,
      name: "gen config",
      argv: [...config, "-o", "FOLDER/gen"],
      wall: 1.5,
    },
    {
      ...duel,
      wall: 1.2,
      name: "machineconfig patch",
      argv: ["machineconfig", "patch", file, "--patch", patch],
    },
    {
      ...duel,
      wall: 1.2,
      name: "validate",
      argv: ["validate", "--mode", "metal", file],
      peerArgv: validated,
    },
  ]);
  return [...floors, ...measured];
}

async function onServer(
  programs: Programs,
  command: readonly string[],
  size: number,
  total: number,
): Promise<readonly Measurement[]> {
  const machine = (method: string) => `/machine.MachineService/${method}`;
  const archive = await packFiles(programs.folder);
  const server = await startServer(command, {
    [machine("Version")]: { messages: [version] },
    [machine("Read")]: zeros(total, size),
    [machine("Copy")]: repeatReply(archive, size),
    [machine("Logs")]: repeatReply(millionLines(), size),
  });
  const config = await configure(programs.folder, server);
  const label = `${size / 1_024} KiB`;
  const stream = { rounds: 3, memory: 1 };
  const outputs = [["to null", false, 1 / 1.5], [
    "to a pipe",
    true,
    0.8,
  ]] as const;
  try {
    const isFirst = size >= 65_536;
    const floor = {
      name: "one call of the least program, and version",
      argv: await oneCall(programs.folder, server, machine("Version")),
      peerArgv: ["version"],
      rounds: 15,
    };
    const runtime = { ...programs, osctl: Deno.execPath() };
    const floors = isFirst ? await compareAll(runtime, config, [floor]) : [];
    const measured = await compareAll(programs, config, [
      ...!isFirst ? [] : [
        {
          name: "version of 1 node",
          argv: ["version"],
          rounds: 15,
          wall: 1,
          cpu: 1,
        },
        { ...compareVersions(50), wall: 1 },
        // Only here it counts who asks a node once for all others, and who asks for each.
        { ...compareVersions(500), wallMs: 100, megabytes: 110 },
      ],
      {
        ...stream,
        name: `copy, ${label}`,
        argv: ["copy", "/x", "FOLDER/copy"],
        wall: 1 / 1.2,
      },
      ...outputs.flatMap(([where, toPipe, wall]) => [
        {
          ...stream,
          name: `read, ${label}, ${where}`,
          argv: ["read", "/x"],
          wall,
          toPipe,
        },
        {
          ...stream,
          name: `logs, ${label}, ${where}`,
          argv: ["logs", "x"],
          wall: 1,
          toPipe,
        },
      ]),
    ]);
    return [...floors, ...measured];
  } finally {
    await server.stop();
  }
}

async function onFiveNodes(
  programs: Programs,
): Promise<readonly Measurement[]> {
  const cluster = await startCluster({ controlplanes: 5, workers: 0 });
  try {
    const [endpoint = ""] = cluster.endpoints;
    const identity = cluster.adminIdentity;
    const config = await configure(programs.folder, { endpoint, identity });
    const nodes = cluster.nodes.map(({ identity }) => identity.address);
    fillWithAddresses(cluster);
    const duel = { rounds: 9, wall: 1.2 };
    const get = ["get", "addresses"];
    const list = { rounds: 5, wall: 1, memory: 1 };
    return await compareAll(programs, config, [
      {
        ...duel,
        name: "health",
        argv: ["health"],
        peerArgv: ["health", "--control-plane-nodes", nodes.join()],
      },
      {
        ...duel,
        name: "etcd status of 5 nodes",
        argv: ["etcd", "status", "-n", nodes.join()],
      },
      { ...list, name: "get 10,000 as table", argv: get },
      { ...list, name: "get 10,000 as JSON", argv: [...get, "-o", "json"] },
    ]);
  } finally {
    await cluster.stop();
  }
}

/** `version` of so many nodes; the server answers for each name. */
function compareVersions(count: number): Duel {
  const names = Array.from(
    { length: count },
    (_, i) => `10.5.${i >> 8}.${i & 255}`,
  );
  const argv = ["version", "-n", names.join()];
  return { name: `version of ${count} nodes`, argv, rounds: 9 };
}

const version = VersionResponse.encode(VersionResponse.fromPartial({
  messages: [{ version: { tag: "v1.12.11", os: "linux", arch: "amd64" } }],
})).finish();

async function compareAll(
  programs: Programs,
  config: string,
  duels: readonly Duel[],
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const duel of duels) {
    const { ours, theirs } = await takeTurns(programs, config, duel);
    const { name, wall, cpu, memory, wallMs, megabytes } = duel;
    const ratio = (
      what: string,
      [a, b]: readonly [number, number],
      unit: string,
      budget: number | undefined,
    ): Measurement => ({
      name: `${name}: ${what}`,
      value: a / b,
      unit: "x",
      detail: `${a.toFixed(0)} to ${b.toFixed(0)} ${unit}`,
      budget,
    });
    const took = [middle(ours.wall), middle(theirs.wall)] as const;
    const used = [middle(ours.memory), middle(theirs.memory)] as const;
    const spent = [ours.cpu / duel.rounds, theirs.cpu / duel.rounds] as const;
    measured.push(
      ratio("wall time", took, "ms", wall),
      ratio("processor time", [10 * spent[0], 10 * spent[1]], "ms", cpu),
      ratio("memory", used, "MB", memory),
    );
    if (wallMs !== undefined) {
      const budget = wallMs;
      measured.push({ name, value: took[0], unit: "ms", budget });
    }
    if (megabytes !== undefined) {
      const budget = megabytes;
      measured.push({ name, value: used[0], unit: "MB", budget });
    }
  }
  return measured;
}

async function takeTurns(
  { osctl, peer, folder }: Programs,
  config: string,
  { argv, peerArgv = argv, rounds, toPipe = false }: Pick<
    Duel,
    "argv" | "peerArgv" | "rounds" | "toPipe"
  >,
) {
  const ours: Spent = { wall: [], memory: [], cpu: 0 };
  const theirs: Spent = { wall: [], memory: [], cpu: 0 };
  const env = { XDG_CACHE_HOME: folder, OSCONFIG: config };
  const flag = config === "" ? [] : [`--${clientConfigField}`, config];
  for (let round = -1; round < rounds; round++) {
    // The first round warms up.
    const count = round >= 0;
    const each = { folder, toPipe };
    await once(osctl, argv, {
      ...each,
      env,
      spent: count ? ours : undefined,
    });
    await once(peer, [...flag, ...peerArgv], {
      ...each,
      env: {},
      spent: count ? theirs : undefined,
    });
  }
  return { ours, theirs };
}

async function once(
  program: string,
  argv: readonly string[],
  { env, folder, spent, toPipe = false }: {
    readonly env: Record<string, string>;
    readonly folder: string;
    readonly spent: Spent | undefined;
    readonly toPipe?: boolean;
  },
): Promise<void> {
  for (const name of ["copy", "gen"]) {
    await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
  await Deno.mkdir(`${folder}/copy`);
  const reader = toPipe ? await pipeReader(folder) : undefined;
  const before = childTicks();
  const start = performance.now();
  // The shell becomes the program, under the same number.
  const line = `exec "$0" "$@" > ${toPipe ? pipeIn(folder) : "/dev/null"}`;
  const words = argv.map((word) => word.replace("FOLDER", folder));
  const child = new Deno.Command("sh", {
    args: ["-c", line, program, ...words],
    env,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let ended = false;
  let memory = 0;
  const status = child.status.finally(() => ended = true);
  while (!ended) {
    memory = readPeakMemory(child.pid) ?? memory;
    const soon = new Promise((resolve) => setTimeout(resolve, 10));
    await Promise.race([status, soon]);
  }
  const { success } = await status;
  if (!success) {
    throw new Error(`${program} ${argv.join(" ")}: ${await errors}`);
  }
  await errors;
  spent?.wall.push(performance.now() - start);
  spent?.memory.push(memory);
  if (spent !== undefined) spent.cpu += childTicks() - before;
  await reader?.status;
}

const pipeIn = (folder: string) => `${folder}/pipe`;

/** Another program that reads all that is written to {@linkcode pipeIn}. */
async function pipeReader(folder: string): Promise<Deno.ChildProcess> {
  const pipe = pipeIn(folder);
  await new Deno.Command("mkfifo", { args: [pipe] }).output(); // or it is there
  const args = ["-c", `exec cat ${pipe} > /dev/null`];
  return new Deno.Command("sh", { args }).spawn();
}

/** Processor time of all children that ended. */
function childTicks(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").replace(/.*\) /, "")
    .split(" ");
  return Number(fields[13]) + Number(fields[14]); // cutime and cstime
}

function readPeakMemory(pid: number): number | undefined {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
    return kilobytes === undefined ? undefined : Number(kilobytes) / 1000;
  } catch {
    return undefined;
  }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
}
