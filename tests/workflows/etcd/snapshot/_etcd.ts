/** The real `etcd`, one member on loopback, and its own tool. */

import { findProgram } from "../../../_needs.ts";
/** A running member. */
export interface RunningEtcd {
  /** A folder that is removed afterwards. */
  readonly folder: string;
  readonly database: string;
  /** Calls its API, as `POST /v3/<path>`. */
  readonly call: (path: string, body: unknown) => Promise<unknown>;
  readonly put: (values: ReadonlyMap<string, string>) => Promise<void>;
  /** Takes a snapshot with `etcdctl`; returns its path. */
  readonly snapshot: (name: string) => Promise<string>;
  /** Stops the member; its database stays. */
  readonly stop: () => Promise<void>;
}

export interface ToolStatus {
  readonly hash: number;
  readonly revision: number;
  /** Entries of all buckets; where there is a version, keys that exist. */
  readonly totalKey: number;
  /** Version of the database's layout; said from 3.6 on. */
  readonly version?: string;
  readonly totalSize: number;
}

/** Status moved from one tool to the other. */
const statusTool = findProgram("etcdutl") === undefined ? "etcdctl" : "etcdutl";

/** Most operations of one transaction. */
const mostOperations = 128;

/**
 * Starts a member, stops it and removes its data afterwards.
 *
 * @param test What to do with it.
 */
export async function withEtcd(
  test: (etcd: RunningEtcd) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const [client, peer] = freePorts().map((port) => `http://127.0.0.1:${port}`);
  const member = new Deno.Command("etcd", {
    args: [
      ...["--data-dir", `${folder}/data`, "--name", "one"],
      ...["--listen-client-urls", `${client}`],
      ...["--advertise-client-urls", `${client}`],
      ...["--listen-peer-urls", `${peer}`],
      ...["--initial-advertise-peer-urls", `${peer}`],
      ...["--initial-cluster", `one=${peer}`],
      ...["--log-level", "error"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await untilAnswered(`${client}/health`);
    await test(running(folder, `${client}`, stop));
  } finally {
    await stop("SIGKILL");
    await Deno.remove(folder, { recursive: true });
  }

  async function stop(signal: Deno.Signal = "SIGTERM"): Promise<void> {
    try {
      member.kill(signal);
    } catch {
      // It has already finished.
    }
    await member.status;
  }
}

/**
 * Asks etcd's own tool for the figures of a snapshot.
 *
 * @param path The file.
 */
export async function toolStatus(path: string): Promise<ToolStatus> {
  return JSON.parse(
    await tool(statusTool, "snapshot", "status", path, "--write-out=json"),
  );
}

function running(
  folder: string,
  url: string,
  stop: () => Promise<void>,
): RunningEtcd {
  async function call(path: string, body: unknown): Promise<unknown> {
    const answer = await fetch(`${url}/v3/${path}`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Cannot call ${path}: ${text}`);
    return JSON.parse(text);
  }
  return {
    folder,
    database: `${folder}/data/member/snap/db`,
    call,
    async put(values) {
      const puts = [...values].map(([key, value]) => ({
        requestPut: { key: btoa(key), value: btoa(value) },
      }));
      for (let at = 0; at < puts.length; at += mostOperations) {
        await call("kv/txn", { success: puts.slice(at, at + mostOperations) });
      }
    },
    async snapshot(name) {
      const path = `${folder}/${name}`;
      await tool("etcdctl", "--endpoints", url, "snapshot", "save", path);
      return path;
    },
    stop,
  };
}

async function tool(
  name: string,
  ...args: readonly string[]
): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(name, {
    args: [...args],
    env: { ETCDCTL_API: "3" },
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${name} ${args.join(" ")}: ${text(stderr)}`);
  return text(stdout);
}

/** Two ports that were free a moment ago. */
function freePorts(): number[] {
  const open = [0, 0].map(() =>
    Deno.listen({ hostname: "127.0.0.1", port: 0 })
  );
  return open.map((listener) => {
    listener.close();
    // Listeners of TCP have a port.
    return (listener.addr as Deno.NetAddr).port;
  });
}

/** A member that starts refuses connections for a while. */
async function untilAnswered(url: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    const healthy = await fetch(url).then(
      async (answer) => (await answer.text()).includes('"true"'),
      () => false,
    );
    if (healthy) return;
    if (performance.now() > deadline) throw new Error(`No answer: ${url}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
