/** A container engine for tests: a daemon of their own, on a socket in a folder of its own. */

import { createHash } from "node:crypto";
import { certificates } from "./_registries.ts";
import { linux, type Need, type Program, root } from "./_needs.ts";

export const engineNeeds: readonly (Need | Program)[] = [
  linux,
  root,
  "dockerd",
];

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
  return await serve((folder) => [
    ...["dockerd", "--host", `unix://${folder}/socket`],
    ...["--data-root", `${folder}/data`, "--exec-root", `${folder}/exec`],
    ...["--pidfile", `${folder}/pid`, "--bridge", "none"],
    ...["--ip6tables=false", "--log-level", "warn", ...flags],
  ]);
}

export const podmanNeeds: readonly (Need | Program)[] = [linux, root, "podman"];

/** Starts Podman. Resolves when it answers. */
export async function startPodman(): Promise<TestEngine> {
  // Its own default exceeds the limit of some machines.
  const limits = `"nofile=4096:4096", "nproc=16384:16384"`;
  const config = `[containers]\ndefault_ulimits = [${limits}]\n`;
  return await serve((folder) => {
    Deno.writeTextFileSync(`${folder}/containers.conf`, config);
    return [
      ...["env", `CONTAINERS_CONF=${folder}/containers.conf`, "podman"],
      ...["--root", `${folder}/data`, "--runroot", `${folder}/run`],
      // Others leave a mount behind.
      ...["--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"],
      ...["--network-config-dir", `${folder}/net`],
      ...["system", "service", "--time", "0"],
      `unix://${folder}/socket`,
    ];
  });
}

/** Starts a daemon with a socket of that name in a folder, and waits until it answers. */
async function serve(
  commandIn: (folder: string) => readonly string[],
): Promise<TestEngine> {
  const folder = await Deno.makeTempDir({ prefix: "engine-" });
  const [socket, log] = [`${folder}/socket`, `${folder}/log`];
  // Its containers' output would otherwise be that of the tests.
  const child = new Deno.Command("sh", {
    args: ["-c", `exec ${commandIn(folder).join(" ")} >${log} 2>&1`],
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

/** A daemon that also listens on loopback, for clients with a certificate. */
export interface TlsEngine extends TestEngine {
  readonly tcp: string;
  /** Folder of `ca.pem`, `cert.pem` and `key.pem`, as `DOCKER_CERT_PATH` takes it. */
  readonly certificates: string;
}

/** Starts a daemon that also listens on loopback. */
export async function startTlsEngine(): Promise<TlsEngine> {
  const folder = await Deno.makeTempDir({ prefix: "engine-tls-" });
  await certificates(folder);
  const names = { "ca.crt": "ca", "tls.crt": "cert", "tls.key": "key" };
  for (const [from, name] of Object.entries(names)) {
    await Deno.rename(`${folder}/${from}`, `${folder}/${name}.pem`);
  }
  const tcp = `tcp://127.0.0.1:${freePort()}`;
  const engine = await startEngine(
    ...["--host", tcp, "--tlsverify", "--tlscacert", `${folder}/ca.pem`],
    ...["--tlscert", `${folder}/cert.pem`, "--tlskey", `${folder}/key.pem`],
  );
  return {
    ...engine,
    tcp,
    certificates: folder,
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Writes a context of Docker's client that leads to an engine, with what it needs for TLS. */
export async function writeContext(
  config: string,
  name: string,
  { tcp, certificates }: TlsEngine,
): Promise<void> {
  const hash = createHash("sha256").update(name).digest("hex");
  const [meta, tls] = [`meta/${hash}`, `tls/${hash}/docker`]
    .map((path) => `${config}/contexts/${path}`);
  for (const path of [meta, tls]) {
    await Deno.mkdir(`${path}`, { recursive: true });
  }
  const context = { Name: name, Endpoints: { docker: { Host: tcp } } };
  await Deno.writeTextFile(`${meta}/meta.json`, JSON.stringify(context));
  for (const file of ["ca.pem", "cert.pem", "key.pem"]) {
    await Deno.copyFile(`${certificates}/${file}`, `${tls}/${file}`);
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
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
