import assert from "node:assert/strict";
// @ts-types="@types/tar-stream"
import { pack } from "tar-stream";
import { pause } from "../../lib/pause.ts";
import type { ClaimedSignal } from "../../commands/_kit/command.ts";
import type { SimulatedNode } from "../../simulator/state/node.ts";
import { withWire } from "../_wire.ts";

const release = { tag: "v1.14.0-rc.1" };
const names = /sha256:[0-9a-f]{64}/g;

/** Standard input that stays open. */
function openInput() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const type = (text: string) => writer.write(new TextEncoder().encode(text));
  return { keys: readable, type };
}

/** Waits until a node has no debug container. */
async function untilRemoved({ boot }: SimulatedNode): Promise<void> {
  while (boot.debugContainers.size > 0) await pause(5);
}

async function archive(path: string): Promise<void> {
  const tar = pack();
  const files = {
    "manifest.json": JSON.stringify([{
      Config: "config.json",
      RepoTags: ["example.com/tools:1"],
      Layers: [],
    }]),
    "config.json": "{}",
  };
  for (const [name, text] of Object.entries(files)) tar.entry({ name }, text);
  tar.finalize();
  await Deno.writeFile(path, ReadableStream.from(tar));
}

Deno.test("debug runs a command in an image that the node pulls, and tells its status", async () => {
  await withWire({ release }, async ({ osctl, cluster: { nodes: [node] } }) => {
    const ran = await osctl("debug alpine:3 --args echo,a,b");
    assert.deepEqual(
      [ran.out, ran.err.replace(names, "sha256:…"), ran.status],
      [
        "a b\n",
        `${node!.identity.address}: pulled docker.io/library/alpine@sha256:…\n`,
        0,
      ],
    );
    const failed = await osctl("debug alpine:3 --args sh", {
      stdin: "echo in\nexit 3\n",
    });
    assert.equal(failed.out, "in\n");
    assert.match(failed.err, /\nerror: The container exited with status 3\n$/);
    assert.equal(failed.status, 1);
    assert.equal(node!.boot.debugContainers.size, 0);
    const { out } = await osctl(
      "image list --namespace inmem -o jsonpath={.image}",
    );
    assert.match(out, /^docker.io\/library\/alpine:3$/m);
  });
});

Deno.test("debug sends an archive to the node", async () => {
  await withWire({ release }, async ({ osctl, osconfig }) => {
    const path = `${osconfig}.tar`;
    await archive(path);
    const { out, err, status } = await osctl(["debug", path, "--args", "ls"]);
    assert.equal(out, "bin\ndev\netc\nhost\nproc\nsys\n");
    assert.match(err, /: imported example.com\/tools:1 from .*osconfig.tar\n$/);
    assert.equal(status, 0);
    const gone = await osctl(["debug", `${path}.gz`, "--args", "ls"]);
    assert.match(gone.err, /osconfig.tar.gz" does not exist\n/);
    assert.equal(gone.status, 2);
    const wrong = await osctl("debug ./Tools");
    assert.match(
      wrong.err,
      /"\.\/Tools" does not exist and is not an image name: /,
    );
  });
});

Deno.test("debug on a terminal passes keys, size and Ctrl-C to the container", async () => {
  await withWire({ release }, async ({ osctl }) => {
    const { keys, type } = openInput();
    let seen = "";
    let step = 0;
    const steps = [
      [/# $/, "stty size\r"],
      [/stty size\r\n30 80\r\n.*# $/, "ech\x03"],
      [/ech\^C\r\n.*# $/, "exit 0\r"],
    ] as const;
    const { out, status } = await osctl("debug alpine:3 --args sh", {
      keys,
      columns: 80,
      onWrite(text) {
        seen = text;
        const [pattern, next] = steps[step] ?? [];
        if (pattern?.test(seen)) {
          step++;
          type(next!);
        }
      },
    });
    assert.match(out, /exit 0\r\n$/);
    assert.equal(status, 0);
    assert.equal(step, 3);
  });
});

Deno.test("debug passes the first signal on; the second removes the container", async () => {
  await withWire({ release }, async ({ osctl, cluster: { nodes: [node] } }) => {
    for (
      const signals of [["SIGTERM"], ["SIGTERM", "SIGINT"], ["SIGHUP"]] as const
    ) {
      const { keys, type } = openInput();
      let claimed: ClaimedSignal | undefined;
      const running = osctl("debug alpine:3 --args cat", {
        stdin: keys,
        claimSignals: (take) => claimed = take,
        onWrite: () => signals.forEach((name) => claimed?.(name)),
      });
      type("a");
      const { out, err, status } = await running;
      assert.equal(out, "a");
      assert.equal(
        status,
        signals.length === 2 ? 130 : signals[0] === "SIGHUP" ? 143 : 1,
      );
      if (signals.length === 1 && signals[0] === "SIGTERM") {
        assert.match(
          err,
          /Sent SIGTERM to the container; interrupt again to remove it\nerror: The container exited with status 143\n$/,
        );
      }
      await untilRemoved(node!);
    }
  });
});

Deno.test("debug ends when the connection is lost, and the node removes the container", async () => {
  await withWire({ release }, async ({ osctl, cluster: { nodes: [node] } }) => {
    const { keys, type } = openInput();
    const running = osctl("debug alpine:3 --args cat", {
      stdin: keys,
      onWrite: () => node!.network.disconnect(),
    });
    type("a");
    const { err, status } = await running;
    assert.match(
      err,
      /\nerror: .*: Connection to .* was lost during the call\n/,
    );
    assert.equal(status, 1);
    await untilRemoved(node!);
  });
});

Deno.test("debug names the version that it needs", async () => {
  await withWire({ release: { tag: "v1.12.11" } }, async ({ osctl }) => {
    const { err, status } = await osctl("debug alpine:3");
    assert.match(
      err,
      /does not support machine.ImageService: it needs v1.13 or later/,
    );
    assert.equal(status, 1);
  });
});
