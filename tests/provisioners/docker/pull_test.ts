import assert from "node:assert/strict";
import type { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { CancelledError } from "../../../errors.ts";
import {
  type ContainerEngine,
  openEngine,
} from "../../../provisioners/docker/engine.ts";
import { importImage } from "../../../provisioners/docker/import_image.ts";
import { layerReport, pullImage } from "../../../provisioners/docker/pull.ts";
import { engineInstalled, startEngine } from "../../_docker.ts";
import { missingPrograms, withDebianRegistry } from "../../_registries.ts";
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
    "an image is pulled with the login of docker, layer by layer; what is in the way is named",
  ignore: !engineInstalled || missingPrograms.length > 0,
  ...unwatched,
  async fn() {
    await using engine = await startEngine();
    await withDebianRegistry(async ({ host, folder, env }) => {
      const login = { DOCKER_CONFIG: env["DOCKER_CONFIG"] ?? "" };
      const osctl = (line: string, config = login) =>
        run(line, {}, {
          env: {
            HOME: folder,
            DOCKER_HOST: engine.host,
            OSCTL_TEST_UNPRIVILEGED: "1",
            ...config,
          },
        });
      const client = await openEngine(() => engine.host);
      const image = `${host}/team/os:v1.12.11`;
      await pushImage(client, image);
      const subnet = `10.96.${Deno.pid % 250}.0/24`;
      const create = (from: string) =>
        `cluster create docker --name lab --workers 0 --image ${from} --subnet ${subnet}`;
      const wrong = `${folder}/wrong`;
      await Deno.mkdir(wrong);
      const auth = btoa("operator:something-else");
      await Deno.writeTextFile(
        `${wrong}/config.json`,
        JSON.stringify({ auths: { [host]: { auth } } }),
      );
      const none = `${host}/team/none:v1.12.11`;
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

      // There is nothing in the image that could be started.
      const { err, status } = await osctl(create(image));
      const said = err.replaceAll(/^warning.*\n/gm, "")
        .replaceAll(/\d+\.\d s$/gm, "N s")
        .replaceAll(/layer [0-9a-f]{12}/g, "layer N")
        .replace(/(Cannot create node .*?: ).*/, "$1…");
      assert.equal(
        said,
        `checking the engine: N s
generating configurations: N s
layer N: pull complete, 1.0 MB
layer N: pull complete, 0.0 MB
pulling image ${image}: N s
creating network lab: N s
Cluster "lab" is unfinished: it stopped while creating controlplane nodes; to continue, repeat the command; to remove it: osctl cluster destroy --name lab
error: Cannot create node lab-controlplane-1: …
`,
      );
      assert.equal(status, 1);
      const { out } = await osctl("cluster show --name lab -o json");
      const { unfinished, running } = JSON.parse(out);
      assert.deepEqual([unfinished, running], [
        "creating controlplane nodes",
        false,
      ]);
      const gone = await osctl("cluster destroy --name lab");
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

/** Makes an image of two layers, the first of 1 MB, puts it into a registry, and removes it from the engine. */
async function pushImage(
  engine: ContainerEngine,
  image: string,
): Promise<void> {
  const { api } = engine;
  const archive = archiveOf("first", randomBytes(1_000_000));
  const changes = ['ENTRYPOINT ["/nothing"]'];
  await importImage(engine, { image, archive, changes });
  const container = await api.createContainer({ Image: image });
  await container.putArchive(archiveOf("second", "2"), { path: "/" });
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

function archiveOf(name: string, content: string | Buffer) {
  const archive = pack();
  archive.entry({ name }, content);
  archive.finalize();
  return Readable.from(archive);
}
