import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
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
