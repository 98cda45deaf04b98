/** A simulated cluster under attack, and osctl processes on one or more machines. */

import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import {
  type ClusterOptions,
  type RunningCluster,
  startCluster,
} from "../../simulator/cluster/cluster.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { pause } from "../../lib/pause.ts";
import type { randomFrom } from "../fuzz/mutate.ts";
import {
  type History,
  type ProcessEnd,
  recordHistory,
  type Wish,
} from "./history.ts";
import { type ProcessHome, type RunProcess, startIn } from "./osctl_process.ts";

/** A call to a node or to Kubernetes. */
export interface HeardCall {
  readonly method: string;
  readonly node?: SimulatedNode;
  /** True for a mutating call. */
  readonly changes: boolean;
}

/** Called before a call takes effect; its error becomes the response. */
export type Listener = (call: HeardCall) => void;

/** Options of a process. */
export interface LabProcessOptions {
  /** Machine; default `a`. */
  readonly machine?: string;
  /** Command prefix. */
  readonly wrapper?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Time until it is interrupted, and a minute later killed, in milliseconds; default 150 s. */
  readonly longestMs?: number;
}

/** A process of osctl. */
export interface LabProcess {
  readonly kill: (signal: Deno.Signal) => void;
  /** Waits for its exit, which is recorded. */
  readonly ended: Promise<ProcessEnd>;
}

/** A cluster and the machines of its operators. */
export interface Lab {
  readonly cluster: RunningCluster;
  readonly random: ReturnType<typeof randomFrom>;
  readonly listeners: Set<Listener>;
  readonly wishes: Wish[];
  readonly texts: Map<string, string>;
  readonly secrets: string[];
  /** Names of files that may contain secrets, given or requested. */
  readonly disclosed: Set<string>;
  /** Results the attack still allows; set by the attack. */
  readonly hopes: { mustFinish: boolean; mayDoubt: boolean };
  readonly folder: (machine?: string) => string;
  readonly start: (
    wish: number,
    words: readonly string[],
    options?: LabProcessOptions,
  ) => LabProcess;
  /** Announces that the attack boots a node, or stops its etcd. */
  readonly announce: (
    node: SimulatedNode,
    what: "attack" | "foreign-boot",
  ) => void;
  /** Runs an action at the first matching call; resolves then. */
  readonly at: (
    fits: (call: HeardCall) => boolean,
    act: Listener,
  ) => Promise<void>;
}

export interface LabOptions {
  readonly cluster: ClusterOptions;
  readonly random: ReturnType<typeof randomFrom>;
  /** Number of the parallel slot; each has its own addresses. */
  readonly slot: number;
  /** Main module of osctl. */
  readonly main: string;
}

/** Grace period of an interrupted process, in milliseconds. */
const graceMs = 60_000;

/** Time after which nodes have settled, in milliseconds. */
const settleMs = 20_000;

/** Runs an attack, and returns the records of nodes, etcd and processes. */
export async function withLab(
  { cluster: options, random, slot, main }: LabOptions,
  play: (lab: Lab) => Promise<void>,
): Promise<History> {
  const home = await Deno.makeTempDir();
  const cluster = await startCluster({
    pace: { bootMs: 300, stopMs: 200, downMs: 900, installMs: 300 },
    ...options,
    addresses(index) {
      const host = `127.${130 + slot}.${Deno.pid % 250}.${index + 2}`;
      return { host, port: 50_000, address: host };
    },
  });
  const recorder = recordHistory(cluster);
  const listeners = listen(cluster);
  const processes: ProcessEnd[] = [];
  const pending = new Set<RunProcess>();
  const wishes: Wish[] = [];
  const hopes = { mustFinish: true, mayDoubt: false };
  const texts = new Map<string, string>();
  const secrets: string[] = [];
  const disclosed = new Set(["osconfig", "osconfig.bak"]);
  const folder = (machine = "a") => `${home}/${machine}`;
  const before = await recorder.states();
  const osconfig = await formatOsconfig(cluster);

  async function follow(
    process: RunProcess,
    { wish, line, longestMs }: {
      readonly wish: number;
      readonly line: string;
      readonly longestMs: number;
    },
  ): Promise<ProcessEnd> {
    let hung = false;
    const kill = (signal: Deno.Signal) => {
      if (pending.has(process)) process.kill(signal);
    };
    const stop = setTimeout(() => kill("SIGINT"), longestMs);
    const end = setTimeout(() => {
      hung = pending.has(process);
      kill("SIGKILL");
    }, longestMs + graceMs);
    const { status, out, err } = await process.ended();
    clearTimeout(stop);
    clearTimeout(end);
    pending.delete(process);
    const isKilled = status === 137;
    const states = await recorder.states();
    const ended: ProcessEnd = {
      ...{ wish, line, hung, out, err, states },
      status: isKilled ? -1 : status,
    };
    processes.push(ended);
    return ended;
  }

  const lab: Lab = {
    ...{ cluster, random, listeners, wishes, texts, secrets, disclosed, hopes },
    folder,
    start(wish, words, options = {}) {
      const { machine, wrapper = [], env = {}, longestMs = 150_000 } = options;
      const own = folder(machine);
      const process = startIn(machineIn(own, osconfig), words, {
        main,
        wrapper,
        env: { TMPDIR: `${own}/tmp`, NO_COLOR: "1", ...env },
      });
      pending.add(process);
      const line = words.join(" ");
      const ended = follow(process, { wish, line, longestMs });
      const kill = (signal: Deno.Signal) => {
        if (pending.has(process)) process.kill(signal);
      };
      return { kill, ended };
    },
    announce: ({ origin: { hostname } }, what) =>
      void recorder.events.push({ node: hostname, what, detail: "" }),
    at: (fits, act) =>
      new Promise((resolve) => {
        const listener: Listener = (call) => {
          if (!fits(call)) return;
          listeners.delete(listener);
          resolve();
          act(call);
        };
        listeners.add(listener);
      }),
  };
  try {
    await play(lab);
    listeners.clear();
    for (const node of cluster.nodes) node.faults.delete("never-reboots");
    const settled = new AbortController();
    const longest = pause(settleMs, settled.signal);
    await Promise.race([cluster.settled(), longest]);
    settled.abort();
    await longest;
    await collect(home, disclosed, texts);
    return {
      ...{ wishes, before, processes, texts, ...hopes },
      after: await recorder.states(),
      events: [...recorder.events],
      secrets: [...secrets, ...listSecrets(cluster)],
    };
  } finally {
    listeners.clear();
    for (const one of pending) one.kill("SIGKILL");
    recorder[Symbol.dispose]();
    await cluster.stop();
    await Deno.remove(home, { recursive: true });
  }
}

/** Stops enough etcd members to lose quorum; they return after a wipe, or by hand. */
export async function loseQuorum(lab: Lab): Promise<readonly SimulatedNode[]> {
  const lost = lab.cluster.nodes.slice(1, 3);
  for (const node of lost) {
    lab.announce(node, "attack");
    await setFault(node, "etcd-stopped");
  }
  return lost;
}

/** Adds listeners to calls of nodes and Kubernetes. */
function listen(cluster: RunningCluster): Set<Listener> {
  const listeners = new Set<Listener>();
  const hear = (call: HeardCall) => {
    for (const listener of [...listeners]) listener(call);
  };
  const facts = cluster.nodes[0]?.cluster;
  if (facts?.kubernetesApi === undefined) throw new Error("No control plane");
  facts.onCall = ({ node, method, mutating }) =>
    hear({ node, method, changes: mutating });
  const api = facts.kubernetesApi;
  const { request } = api;
  Object.assign(api, {
    request(asked: Parameters<typeof request>[0]) {
      hear({ method: asked.method, changes: asked.method !== "GET" });
      return request(asked);
    },
  });
  return listeners;
}

async function formatOsconfig(cluster: RunningCluster): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = cluster.adminIdentity;
  const context = {
    endpoints: cluster.endpoints,
    nodes: cluster.nodes.map(({ identity }) => identity.address),
    ca: base64(ca),
    crt: base64(crt),
    key: base64(key),
  };
  const contexts = new Map([[cluster.name, context]]);
  return await renderOsconfig({ current: cluster.name, contexts });
}

/** Keys and tokens of a cluster, and the key of its administrator. */
function listSecrets(
  { nodes, adminIdentity: { key } }: RunningCluster,
): readonly string[] {
  const { secrets } = nodes[0]?.cluster ?? {};
  const all = secrets === undefined ? [] : textsIn(secrets);
  // The second line of a PEM key is secret enough.
  const lines = [key, ...all.map(decodeText)].flatMap((text) =>
    text.includes("PRIVATE KEY") ? text.split("\n")[1] ?? [] : []
  );
  const tokens = all.filter((text) =>
    decodeText(text).startsWith("--") === false
  );
  return [...lines, ...tokens];
}

/** Texts below fields with secret names. */
function textsIn(value: unknown, name = ""): readonly string[] {
  if (typeof value === "string") {
    return /key|token|secret/i.test(name) && value.length >= 16 ? [value] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    textsIn(one, typeof one === "string" ? `${name}.${key}` : key)
  );
}

function decodeText(text: string): string {
  try {
    return atob(text);
  } catch {
    return "";
  }
}

/** Reads remaining files in a folder, except known secret files. */
async function collect(
  folder: string,
  disclosed: ReadonlySet<string>,
  texts: Map<string, string>,
): Promise<void> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) await collect(path, disclosed, texts);
    // Backups have a timestamp in their names.
    const known = name.replace(/\.\d+T\d+Z(?=\.bak$)/, "");
    if (!isFile || disclosed.has(known)) continue;
    const bytes = await Deno.readFile(path);
    texts.set(path, new TextDecoder("latin1").decode(bytes));
  }
}

/** Writes the client configuration of a machine, unless its home was copied. */
function machineIn(home: string, text: string): ProcessHome {
  const osconfig = `${home}/osconfig`;
  Deno.mkdirSync(`${home}/tmp`, { recursive: true, mode: 0o700 });
  try {
    Deno.writeTextFileSync(osconfig, text, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  return { home, osconfig };
}
