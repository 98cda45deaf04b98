/** Shared by tests of clusters of containers: direct requests to the engine, and creations that are killed. */

import assert from "node:assert/strict";
import type { TestEngine } from "../_docker.ts";
import { type Ran, run, start, withFolder } from "./_osctl.ts";

/** Image of the stand-in nodes. */
export const image = "osctl-stand-in:v1.12.11";

export const third = 100 + Deno.pid % 100;

export interface Holdings {
  readonly containers: readonly string[];
  readonly networks: readonly string[];
  readonly volumes: readonly string[];
}

/** An engine asked without osctl. */
export interface EngineClient extends Disposable {
  /** Answer to a request. */
  // deno-lint-ignore no-explicit-any
  readonly get: (path: string) => Promise<any>;
  /** Changes something. */
  readonly send: (method: string, path: string) => Promise<void>;
  /** Names of what it has. */
  readonly holdings: () => Promise<Holdings>;
}

/** Asks the engine at a socket. */
function engineClient(host: string): EngineClient {
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: host.replace("unix://", "") },
  });
  // deno-lint-ignore no-explicit-any
  const get = async (path: string): Promise<any> =>
    await (await fetch(`http://engine${path}`, { client })).json();
  return {
    get,
    async send(method, path) {
      const answer = await fetch(`http://engine${path}`, { client, method });
      assert.ok(answer.ok, await answer.text());
    },
    async holdings() {
      const names = (all: { Name: string }[]) =>
        all.map(({ Name }) => Name).sort();
      return {
        containers: (await get("/containers/json?all=1"))
          .flatMap(({ Names }: { Names: string[] }) => Names).sort(),
        networks: names(await get("/networks")),
        volumes: names((await get("/volumes")).Volumes ?? []),
      };
    },
    [Symbol.dispose]: () => client.close(),
  };
}

export interface Trial {
  /** Home of the user. */
  readonly home: string;
  /** Environment of osctl. */
  readonly env: Readonly<Record<string, string>>;
  /** The engine. */
  readonly api: EngineClient;
  /** Processors of a node: what is asked for without flags, or as many as the engine has. */
  readonly processors: number;
}

/** Runs a test with an engine and a home. */
export async function withTrial(
  engine: TestEngine,
  test: (trial: Trial) => Promise<void>,
): Promise<void> {
  using api = engineClient(engine.host);
  const { NCPU } = await api.get("/info");
  await withFolder(async (home) => {
    const env = {
      HOME: home,
      PATH: "/usr/bin:/bin",
      XDG_CACHE_HOME: `${home}/cache`,
      DOCKER_HOST: engine.host,
      OSCTL_TEST_UNPRIVILEGED: "1",
    };
    await test({ home, env, api, processors: Math.min(2, NCPU) });
  });
}

/** Runs osctl to its end. */
export async function osctl({ env }: Trial, line: string): Promise<Ran> {
  return await run(line.split(" "), { env });
}

/** Runs osctl until it has said something, and kills it. `meanwhile`: is done before, while it stands still. */
export async function killAfter(
  { env }: Trial,
  line: string,
  text: string,
  meanwhile?: (pid: number) => Promise<void>,
): Promise<void> {
  const child = start(line.split(" "), { env });
  let said = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stderr) {
    said += decoder.decode(bytes, { stream: true });
    if (!said.includes(text)) continue;
    child.kill("SIGSTOP");
    await meanwhile?.(child.pid);
    child.kill("SIGKILL");
    await child.stdout.cancel();
    await child.status;
    return;
  }
  throw new Error(`It ended before "${text}": ${said}`);
}
