/** A container engine for tests: a daemon of their own, on a socket in a folder of its own. */

import { works } from "./e2e/_osctl.ts";

/** Whether the daemon is installed, and may be started. */
export const engineInstalled: boolean = Deno.build.os === "linux" &&
  Deno.uid() === 0 && works("dockerd", "--version");

/** A daemon that runs. */
export interface TestEngine extends AsyncDisposable {
  /** Its address, as `DOCKER_HOST` takes it. */
  readonly host: string;
  /** Its folder; what it keeps is removed with it. */
  readonly folder: string;
}

/** Starts a daemon. `flags`: more of its flags. Resolves when it answers. */
export async function startEngine(
  ...flags: readonly string[]
): Promise<TestEngine> {
  const folder = await Deno.makeTempDir({ prefix: "engine-" });
  const socket = `${folder}/docker.sock`;
  const log = `${folder}/log`;
  const quoted = [
    ...["dockerd", "--host", `unix://${socket}`],
    ...["--data-root", `${folder}/data`, "--exec-root", `${folder}/exec`],
    ...["--pidfile", `${folder}/pid`, "--bridge", "none"],
    ...["--ip6tables=false", "--log-level", "warn", ...flags],
  ].join(" ");
  // Its containers' output would otherwise be that of the tests.
  const child = new Deno.Command("sh", {
    args: ["-c", `exec ${quoted} >${log} 2>&1`],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const end = child.status.then(() => void (ended = true));
  const client = Deno.createHttpClient({
    proxy: { transport: "unix", path: socket },
  });
  const answers = async () => {
    try {
      const response = await fetch("http://engine/_ping", { client });
      await response.body?.cancel();
      return response.ok;
    } catch {
      return false;
    }
  };
  while (!await answers()) {
    if (ended) throw new Error(await Deno.readTextFile(log));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  client.close();
  return {
    host: `unix://${socket}`,
    folder,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await end;
      await removeTree(folder);
    },
  };
}

/** Mounts of containers that were killed may be there for a moment. */
async function removeTree(folder: string): Promise<void> {
  for (let left = 50;; left--) {
    try {
      return await Deno.remove(folder, { recursive: true });
    } catch (error) {
      if (left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
