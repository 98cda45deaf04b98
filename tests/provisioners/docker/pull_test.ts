import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";

/** Longest time of a test here. */
export const longestSeconds = 180;
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { CancelledError } from "../../../errors.ts";
import {
  type ContainerEngine,
  openEngine,
} from "../../../provisioners/docker/engine.ts";
import { importImage } from "../../_import_image.ts";
import { layerReport, pullImage } from "../../../provisioners/docker/pull.ts";
import { engineNeeds, startTlsEngine } from "../../_docker.ts";
import { needs } from "../../_needs.ts";
import { denoDir, start } from "../../_osctl.ts";
import { registryPrograms, withDebianRegistry } from "../../_registries.ts";
import { run } from "../../_run.ts";
import { usualEngine, withEngine } from "./_fake_engine.ts";

const unwatched = { sanitizeOps: false, sanitizeResources: false };
const progress = {
  phase: <T>(_: string, work: (say: () => void) => Promise<T>) =>
    work(() => {}),
  node() {},
  warn() {},
};
const { signal } = new AbortController();
const wanted = { image: "os:v1", login: () => Promise.resolve(undefined) };

Deno.test({
  name:
    "an image is pulled over TLS with the login of docker, layer by layer, also when the first pull was killed; what is in the way is named",
  ...needs(...engineNeeds, ...registryPrograms),
  ...unwatched,
  async fn() {
    await using engine = await startTlsEngine();
    await withDebianRegistry(async ({ host, folder, env }) => {
      const login = { DOCKER_CONFIG: env["DOCKER_CONFIG"] ?? "" };
      const reach = {
        HOME: folder,
        DOCKER_HOST: engine.tcp,
        DOCKER_TLS_VERIFY: "1",
        DOCKER_CERT_PATH: engine.certificates,
      };
      const osctl = (line: string, more: Readonly<Record<string, string>>) =>
        run(line, {}, { env: { ...reach, ...more } });
      const client = await openEngine(() => engine.host);
      const image = `${host}/team/os:v1.12.11`;
      await pushImage(client, image);
      const subnet = `10.96.${Deno.pid % 250}.0/24`;
      const create = (from: string) =>
        `cluster create docker --name lab --workers 0 --cpus-controlplanes 1 --image ${from} --subnet ${subnet}`;
      const wrong = `${folder}/wrong`;
      await Deno.mkdir(wrong);
      const [auth, rightAuth] = ["something-else", "not-a-secret"]
        .map((password) => btoa(`operator:${password}`));
      await Deno.writeTextFile(
        `${wrong}/config.json`,
        JSON.stringify({ auths: { [host]: { auth } } }),
      );
      const none = `${host}/team/none:v1.12.11`;
      const plain = { DOCKER_TLS_VERIFY: "", DOCKER_CERT_PATH: "" };
      const down = "127.0.0.1:9/os:v1.12.11";
      const problems = [
        [none, login, "manifest unknown"],
        [image, { DOCKER_CONFIG: `${folder}/none` }, "no basic auth"],
        [image, { DOCKER_CONFIG: wrong }, "unauthorized"],
        [down, login, "connection refused"],
      ] as const;
      for (const [from, config, reason] of problems) {
        const { err, status } = await osctl(create(from), config);
        const start =
          `error: Cannot create cluster "lab": image ${from} is not available locally and cannot be pulled: `;
        const line = err.split("\n").find((one) => one.startsWith("error"));
        assert.ok(line?.startsWith(start), err);
        assert.ok(line?.includes(reason), err);
        assert.equal(status, 2);
      }

      for (const more of [{ DOCKER_CERT_PATH: `${folder}/none` }, plain]) {
        const { err, status } = await osctl(create(image), more);
        assert.match(err, /^error: Cannot reach the container engine at tcp:/);
        assert.match(err, /certificate|HTTPS/);
        assert.equal(status, 1);
      }

      // The registry hangs in the middle of the first layer, and osctl is killed.
      using slow = hangingProxy(host, 300_000);
      const slowImage = image.replace(host, slow.host);
      await Deno.writeTextFile(
        `${folder}/config.json`,
        JSON.stringify({ auths: { [slow.host]: { auth: rightAuth } } }),
      );
      const all = {
        ...Deno.env.toObject(),
        DENO_DIR: await denoDir(),
        ...reach,
        ...login,
      };
      const child = start({ env: all }, create(slowImage));
      await slow.hangs;
      child.kill("SIGKILL");
      await child.output();
      const killed = await osctl("cluster show --name lab -o json", login);
      assert.equal(JSON.parse(killed.out).unfinished, "pulling the image");
      assert.deepEqual(await client.api.listImages(), []);
      slow.resume();

      // There is nothing in the image that could be started.
      const { err, status } = await osctl(create(slowImage), login);
      const said = err.replaceAll(/^warning.*\n/gm, "")
        .replaceAll(/\d+\.\d s$/gm, "N s")
        .replaceAll(/layer [0-9a-f]{12}/g, "layer N")
        // The engine reports how much of a small layer it has, or nothing of it.
        .replace(", 0.0 MB", "")
        .replace(/(Cannot create node .*?: ).*/, "$1…");
      assert.equal(
        said,
        `checking the engine: N s
layer N: pull complete, 1.0 MB
layer N: pull complete
pulling image ${slowImage}: N s
creating network lab: N s
Cluster "lab" is unfinished: it stopped while creating controlplane nodes; to continue, repeat the command; to remove it: osctl cluster destroy --name lab
error: Cannot create node lab-controlplane-1: …
`,
      );
      assert.equal(status, 1);
      // The one setting that tests cannot do with where nodes are to start.
      const node = client.api.getContainer("lab-controlplane-1");
      const { HostConfig } = await node.inspect();
      assert.equal(HostConfig.Privileged, true);
      const { out } = await osctl("cluster show --name lab -o json", login);
      const { unfinished, running } = JSON.parse(out);
      assert.deepEqual([unfinished, running], [
        "creating controlplane nodes",
        false,
      ]);
      const gone = await osctl("cluster destroy --name lab", login);
      assert.equal(gone.status, 0, gone.err);
      assert.deepEqual(await client.api.listContainers({ all: true }), []);
    });
  },
});

Deno.test("layers are reported when they are there, and meanwhile all together", () => {
  const said: string[] = [];
  const done: string[] = [];
  const report = layerReport({
    say: (text) => void said.push(text),
    done: (layer, what) => void done.push(`${layer}: ${what}`),
  });
  const progressDetail = { current: 1_000_000, total: 4_000_000 };
  report({ status: "Pulling from os" });
  report({ id: "aa", status: "Downloading", progressDetail });
  report({ id: "bb", status: "Already exists" });
  report({ id: "aa", status: "Pull complete" });
  report({ id: "aa", status: "Pull complete" });
  assert.deepEqual(done, [
    "layer bb: already exists",
    "layer aa: pull complete, 4.0 MB",
  ]);
  assert.deepEqual(said, [
    "1.0 of 4.0 MB",
    "1.0 of 4.0 MB",
    "4.0 of 4.0 MB",
    "4.0 of 4.0 MB",
  ]);
});

Deno.test(
  "a pull that breaks off is an error, though the engine has answered 200",
  unwatched,
  async () => {
    const events = [
      { id: "aa", status: "Downloading" },
      { error: "write /layer: no space left on device" },
    ].map((event) => `${JSON.stringify(event)}\n`).join("");
    const answers = { ...usualEngine, "POST /images/create": events };
    await withEngine(answers, async (env) => {
      const engine = await openEngine(env);
      await assert.rejects(pullImage(engine, wanted, { progress, signal }), {
        message:
          "Cannot pull image os:v1: write /layer: no space left on device",
        status: 1,
      });
    });
  },
);

Deno.test("an interrupt ends a pull", unwatched, async () => {
  const stop = new AbortController();
  const event = { id: "aa", status: "Already exists" };
  const endless = () =>
    new ReadableStream({
      start: (stream) =>
        stream.enqueue(new TextEncoder().encode(`${JSON.stringify(event)}\n`)),
    });
  const answers = { ...usualEngine, "POST /images/create": endless };
  await withEngine(answers, async (env) => {
    const engine = await openEngine(env);
    const node = () => stop.abort(new CancelledError("SIGINT"));
    const pull = { progress: { ...progress, node }, signal: stop.signal };
    await assert.rejects(pullImage(engine, wanted, pull), { status: 130 });
  });
});

/** A registry that hangs. */
interface HangingRegistry extends Disposable {
  readonly host: string;
  /** Resolves when a client has got so many bytes, and gets no more. */
  readonly hangs: Promise<void>;
  readonly resume: () => void;
}

/** Passes on what a registry sends, until it was so many bytes. */
function hangingProxy(target: string, most: number): HangingRegistry {
  const [hangs, open] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const [hostname = "", port] = target.split(":");
  let sent = 0;
  const limit = () =>
    new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        sent += bytes.length;
        if (sent > most) {
          hangs.resolve();
          await open.promise;
        }
        controller.enqueue(bytes);
      },
    });
  const pass = async (client: Deno.TcpConn) => {
    const server = await Deno.connect({ hostname, port: Number(port) });
    await Promise.allSettled([
      client.readable.pipeTo(server.writable),
      server.readable.pipeThrough(limit()).pipeTo(client.writable),
    ]);
  };
  void (async () => {
    try {
      for await (const client of listener) void pass(client);
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  })();
  return {
    host: `127.0.0.1:${listener.addr.port}`,
    hangs: hangs.promise,
    resume: open.resolve,
    [Symbol.dispose]: () => listener.close(),
  };
}

/** Makes an image of two layers, the first of 1 MB, puts it into a registry, and removes it from the engine. */
async function pushImage(
  engine: ContainerEngine,
  image: string,
): Promise<void> {
  const { api } = engine;
  const archive = imageArchive("first", randomBytes(1_000_000));
  const changes = ['ENTRYPOINT ["/nothing"]'];
  await importImage(engine, { image, archive, changes });
  const container = await api.createContainer({ Image: image });
  await container.putArchive(imageArchive("second", "2"), { path: "/" });
  const [repo = "", tag = ""] = image.split(/:(?=[^:]*$)/);
  await container.commit({ repo, tag });
  await container.remove();
  const authconfig = { username: "operator", password: "not-a-secret" };
  const pushed = await api.getImage(image).push({ authconfig });
  await new Promise((resolve, reject) =>
    api.modem.followProgress(
      pushed,
      (error, events) => error ? reject(error) : resolve(events),
    )
  );
  await api.getImage(image).remove({ force: true });
}

function imageArchive(name: string, content: string | Buffer) {
  const archive = pack();
  archive.entry({ name }, content);
  archive.finalize();
  return Readable.from(archive);
}
