import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
import { start, withHome } from "../../../_osctl.ts";
import {
  usualEngine,
  withEngine,
} from "../../../provisioners/docker/_fake_engine.ts";
import { run } from "../../../_run.ts";

const unwatched = { sanitizeOps: false, sanitizeResources: false };

Deno.test(
  "cluster create docker names every problem with its remedy, and makes nothing",
  unwatched,
  async () => {
    const answers = {
      ...usualEngine,
      "GET /networks": [{
        Name: "bridge",
        IPAM: { Config: [{ Subnet: "10.5.0.0/16" }] },
      }],
      "GET /containers/json filtered": [],
      "GET /containers/json": [{ Id: "c", Names: ["/os-default-worker-1"] }],
    };
    await withFolder({}, async (home) => {
      await withEngine(answers, async (engine) => {
        const host = engine("DOCKER_HOST") ?? "";
        const { err, status } = await run(
          "cluster create docker --image os:v1.12.0 --memory-workers 100GiB --cpus-workers 9",
          {},
          { env: { HOME: home, DOCKER_HOST: host } },
        );
        assert.equal(status, 2);
        assert.equal(
          err,
          `error: Cannot create cluster "os-default": 5 problems
  the nodes need 104448 MiB of memory, but the engine's machine has 8192 MiB
    Lower --memory-controlplanes, --memory-workers or --workers
  a node needs 9 CPUs, but the engine's machine has 4
    Lower --cpus-controlplanes or --cpus-workers
  subnet 10.5.0.0/24 overlaps 10.5.0.0/16, network "bridge" of the engine
    Use a free one: --subnet 10.6.0.0/24
  image os:v1.12.0 is not available locally and cannot be pulled: no GET /distribution/os:v1.12.0/json
    Check --image and whether the engine can reach the registry, or load the image with: docker load
  there is a container named os-default-worker-1
    Choose another --name, or remove the container
`,
        );
        const left = await Array.fromAsync(Deno.readDir(home));
        assert.deepEqual(left.map(({ name }) => name), []);
      });
    });
  },
);

Deno.test("cluster create docker names a flag that is wrong before it asks the engine", async () => {
  const lines = [
    ["--cpus-workers x", 'Invalid value "x" for --cpus-workers'],
    ["--exposed-ports 80", 'Invalid value "80" for --exposed-ports'],
    ["--kubernetes-version 1.20.0", "Kubernetes v1.20.0 is too old for v1.12"],
  ];
  for (const [flags, problem] of lines) {
    const { err, status } = await run(`cluster create docker ${flags}`, {}, {
      env: { HOME: "/nowhere" },
    });
    assert.ok(err.includes(`error: ${problem}`), err);
    assert.equal(status, 2);
  }
});

/** An engine that makes what is asked for; the nodes in it never answer. */
const silentNodes = {
  ...usualEngine,
  "GET /networks": [],
  "GET /containers/json": [],
  "GET /images/os:v1.12.0/json": {},
  "POST /networks/create": { Id: "n" },
  "POST /containers/create": { Id: "c" },
  "POST /containers/c/start": "",
};

Deno.test(
  "a cluster is left to the process that creates it, until that is killed",
  unwatched,
  async () => {
    await withHome(async (home) => {
      await withEngine(silentNodes, async (engine, asked) => {
        const host = { DOCKER_HOST: engine("DOCKER_HOST") ?? "" };
        const env = { ...home.env, ...host };
        const create =
          "cluster create docker --image os:v1.12.0 --subnet 10.250.0.0/24 --workers 0";
        const child = start(
          { env: { ...Deno.env.toObject(), ...env } },
          create,
        );
        await waitForText(child.stderr, "creating controlplane nodes");
        const made = asked.length;
        const others = [
          [`${create} --wait-timeout 1s`, "create"],
          ["cluster create docker --image os:v1.13.0", "create"],
          ["cluster create embedded", "create"],
          ["cluster create --vmlinuz-path none", "create"],
          ["cluster destroy", "destroy"],
          ["cluster destroy --force", "destroy"],
        ];
        for (const [line = "", verb] of others) {
          const { err, status } = await run(line, {}, { env });
          assert.equal(
            err,
            `error: Cannot ${verb} cluster "os-default": process ${child.pid} is creating or destroying it
hint: Wait until it has finished, or end it with: kill ${child.pid}
`,
          );
          assert.equal(status, 8);
        }
        const since = asked.slice(made);
        assert.deepEqual(since.filter((one) => !one.startsWith("GET")), []);
        child.kill("SIGKILL");
        await child.status;
        const late = await run(`${create} --wait-timeout 300ms`, {}, {
          env,
          now: () => new Date(),
        });
        assert.match(
          late.err,
          /^error: node 10\.250\.0\.2 did not answer within 0\.3 s: .*\nhint: Increase --wait-timeout, or read what the nodes print: docker logs os-default-controlplane-1, or podman logs os-default-controlplane-1$/m,
        );
        assert.equal(late.status, 4);
        const { err, status } = await run("cluster destroy", {}, { env });
        assert.deepEqual({ err, status }, { err: "", status: 0 });
        const left = await Array.fromAsync(
          Deno.readDir(`${home.path}/.os/clusters`),
        );
        assert.deepEqual(left, []);
      });
    });
  },
);

/** Waits until a process has said something. */
async function waitForText(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  text: string,
): Promise<void> {
  let all = "";
  const decoder = new TextDecoderStream();
  for await (const part of stream.pipeThrough(decoder)) {
    all += part;
    if (all.includes(text)) return;
  }
  throw new Error(`It ended before "${text}": ${all}`);
}
