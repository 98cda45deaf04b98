/** osctl compared with the peer's program, alternately and against the same servers. */

import { renderOsconfig } from "../config/osconfig/osconfig.ts";
import { clientConfigField, peerProgramVariable } from "../dialect.ts";
import type { Measurement } from "../tools/bench.ts";
import { Data } from "../transport/gen/common.ts";
import { VersionResponse } from "../transport/gen/machine.ts";
import { executable } from "./_bench.ts";
import { buildGoServer, type Reply, startGoServer } from "./_grpc_go.ts";
import { startCluster } from "../simulator/cluster/cluster.ts";

/** One command line, with its budget relative to the peer. */
interface Duel {
  readonly name: string;
  readonly argv: readonly string[];
  /** Command line of the peer where it differs. */
  readonly peerArgv?: readonly string[];
  readonly rounds: number;
  /** Budget: wall time divided by the peer's. */
  readonly wall: number;
}

/** What runs of one program took. */
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
 * @returns Ratios of medians, ours by the peer's; nothing unless `peerProgramVariable` names the peer's program.
 */
export async function run(): Promise<readonly Measurement[]> {
  const peer = Deno.env.get(peerProgramVariable);
  if (peer === undefined) return [];
  const folder = await Deno.makeTempDir();
  try {
    const osctl = await executable(folder);
    const programs = { osctl, peer, folder };
    await takeTurns(programs, "", { argv: ["--help"], rounds: 1 }); // unpacks
    const go = await buildGoServer(folder);
    return [
      ...await duelsOf(programs, "", offline),
      ...go === undefined ? [] : [
        ...await onGo(programs, go, 65_536, 2e9),
        ...await onGo(programs, go, 1_024, 5e8),
      ],
      ...await onSimulator(programs),
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const offline: readonly Duel[] = [
  { name: "--help", argv: ["--help"], rounds: 15, wall: 1 },
  {
    name: "version --client",
    argv: ["version", "--client"],
    rounds: 15,
    wall: 1,
  },
  {
    name: "completion bash",
    argv: ["completion", "bash"],
    rounds: 15,
    wall: 1,
  },
  {
    name: "gen config",
    argv: [
      "gen",
      "config",
      "demo",
      "https://10.0.0.1:6443",
      "--force",
      "-o",
      "FOLDER/gen",
    ],
    rounds: 9,
    wall: 1,
  },
];

async function onGo(
  programs: Programs,
  go: string,
  size: number,
  total: number,
): Promise<readonly Measurement[]> {
  const machine = (method: string) => `/machine.MachineService/${method}`;
  const archive = await archiveOf(programs.folder);
  const server = await startGoServer(go, {
    [machine("Version")]: { messages: [version] },
    [machine("Read")]: contentOf(new Uint8Array(size), size, total / size),
    [machine("Copy")]: contentOf(archive, size),
    [machine("Logs")]: contentOf(log(), size),
  });
  const config = await configured(programs, server);
  const label = `${size / 1024} KiB`;
  const nodes = Array.from({ length: 50 }, (_, i) => `10.5.0.${i + 1}`).join();
  try {
    return await duelsOf(programs, config, [
      ...size < 65_536 ? [] : [
        { name: "version of 1 node", argv: ["version"], rounds: 15, wall: 1 },
        {
          name: "version of 50 nodes",
          argv: ["version", "-n", nodes],
          rounds: 9,
          wall: 1,
        },
      ],
      {
        name: `read, ${label}`,
        argv: ["read", "/x"],
        rounds: 3,
        wall: 1 / 1.5,
      },
      {
        name: `copy, ${label}`,
        argv: ["copy", "/x", "FOLDER/copy"],
        rounds: 3,
        wall: 1 / 1.2,
      },
      { name: `logs, ${label}`, argv: ["logs", "x"], rounds: 3, wall: 1 },
    ]);
  } finally {
    await server.stop();
  }
}

async function onSimulator(
  programs: Programs,
): Promise<readonly Measurement[]> {
  const cluster = await startCluster({ controlplanes: 3, workers: 2 });
  try {
    const [endpoint = ""] = cluster.endpoints;
    const identity = cluster.adminIdentity;
    const config = await configured(programs, { endpoint, identity });
    const nodes = cluster.nodes.slice(0, 3).map(({ identity }) =>
      identity.address
    );
    return await duelsOf(programs, config, [
      {
        name: "etcd status",
        argv: ["etcd", "status", "-n", nodes.join()],
        rounds: 9,
        wall: 1.2,
      },
    ]);
  } finally {
    await cluster.stop();
  }
}

const version = VersionResponse.encode(VersionResponse.fromPartial({
  messages: [{ version: { tag: "v1.12.11", os: "linux", arch: "amd64" } }],
})).finish();

function contentOf(bytes: Uint8Array, size: number, repeat = 1): Reply {
  const messages: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    messages.push(Data.encode(Data.fromPartial({ bytes: part })).finish());
  }
  return { messages, repeat: Math.round(repeat) };
}

/** A million lines. */
function log(): Uint8Array {
  const line = "2026-11-22T11:00:00.000Z INFO a line of a log of usual length";
  return new TextEncoder().encode(`${line} and its end\n`.repeat(1_000_000));
}

/** 300 MB of text in 30 files, packed. */
async function archiveOf(folder: string): Promise<Uint8Array> {
  const tree = `${folder}/tree`;
  await Deno.mkdir(tree, { recursive: true });
  for (let i = 0; i < 30; i++) {
    const words = Array.from(
      { length: 1_500_000 },
      (_, k) => ((k * 7919 + i) % 99_991).toString(36),
    );
    await Deno.writeTextFile(`${tree}/file${i}`, words.join(" "));
  }
  const names = Array.from({ length: 30 }, (_, i) => `file${i}`);
  const { stdout } = await new Deno.Command("tar", {
    args: ["-cz", "-C", tree, ...names],
  }).output();
  return stdout;
}

/** Writes a client configuration that both programs read. */
async function configured(
  { folder }: Programs,
  { endpoint, identity: { ca, crt, key } }: {
    readonly endpoint: string;
    readonly identity: {
      readonly ca: string;
      readonly crt: string;
      readonly key: string;
    };
  },
): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const path = `${folder}/config`;
  const text = await renderOsconfig({
    current: "bench",
    contexts: new Map([["bench", {
      endpoints: [endpoint],
      nodes: ["10.5.0.2"],
      ca: base64(ca),
      crt: base64(crt),
      key: base64(key),
    }]]),
  });
  await Deno.writeTextFile(path, text);
  return path;
}

async function duelsOf(
  programs: Programs,
  config: string,
  duels: readonly Duel[],
): Promise<readonly Measurement[]> {
  const measured: Measurement[] = [];
  for (const duel of duels) {
    const { ours, theirs } = await takeTurns(programs, config, duel);
    const unit = "x";
    measured.push(
      {
        name: `${duel.name}: wall time`,
        value: middle(ours.wall) / middle(theirs.wall),
        unit,
        budget: duel.wall,
      },
      {
        name: `${duel.name}: processor time`,
        value: ours.cpu / theirs.cpu,
        unit,
      },
      {
        name: `${duel.name}: memory`,
        value: middle(ours.memory) / middle(theirs.memory),
        unit,
      },
    );
  }
  return measured;
}

async function takeTurns(
  { osctl, peer, folder }: Programs,
  config: string,
  { argv, peerArgv = argv, rounds }: Pick<Duel, "argv" | "peerArgv" | "rounds">,
) {
  const ours: Spent = { wall: [], memory: [], cpu: 0 };
  const theirs: Spent = { wall: [], memory: [], cpu: 0 };
  const env = { XDG_CACHE_HOME: folder, OSCONFIG: config };
  const flag = config === "" ? [] : [`--${clientConfigField}`, config];
  for (let round = -1; round < rounds; round++) {
    // The first round warms up.
    const count = round >= 0;
    await once(osctl, argv, { env, folder, spent: count ? ours : undefined });
    await once(peer, [...flag, ...peerArgv], {
      env: {},
      folder,
      spent: count ? theirs : undefined,
    });
  }
  return { ours, theirs };
}

async function once(
  program: string,
  argv: readonly string[],
  { env, folder, spent }: {
    readonly env: Record<string, string>;
    readonly folder: string;
    readonly spent: Spent | undefined;
  },
): Promise<void> {
  for (const name of ["copy", "gen"]) {
    await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
  await Deno.mkdir(`${folder}/copy`);
  const before = childTicks();
  const start = performance.now();
  const child = new Deno.Command(program, {
    args: argv.map((word) => word.replace("FOLDER", folder)),
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
    memory = peakOf(child.pid) ?? memory;
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
}

/** Processor time of all children that ended. */
function childTicks(): number {
  const fields = Deno.readTextFileSync("/proc/self/stat").replace(/.*\) /, "")
    .split(" ");
  return Number(fields[13]) + Number(fields[14]); // cutime and cstime
}

function peakOf(pid: number): number | undefined {
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
