import assert from "node:assert/strict";
import type { ExitStatus } from "../../../errors.ts";
import type { SignalName } from "../../../terminal/environment.ts";
import { withFolder } from "../../_folder.ts";
import { upstream } from "../../_registries.ts";
import { run } from "../../_run.ts";
import { type Wire, withWire } from "../../_wire.ts";

/** Names of images on all nodes. */
async function imagesOn({ osctl }: Wire): Promise<string> {
  const { out } = await osctl(
    "image list --nodes @all --namespace system -o jsonl",
  );
  return out.split("\n").toSorted().join("\n");
}

const list = "ghcr.io/team/new:v2\nregistry.k8s.io/pause:3.10.1\n";

Deno.test("airgap verify lets every node pull what it does not have, and leaves nothing there", async () => {
  await withFolder(
    { list },
    (folder) =>
      withWire({ workers: 1, release: { tag: "v1.13.9" } }, async (wire) => {
        const { osctl, cluster } = wire;
        const before = await imagesOn(wire);
        const line = `airgap verify --image-list ${folder}/list`;
        const rows = async (more = "") => {
          const { out, err, status } = await osctl(`${line} ${more} -o jsonl`);
          const found = out.trim().split("\n").map((row) => JSON.parse(row));
          const lines = found.map(({ node, image, state }) =>
            `${node} ${image} ${state}`
          ).toSorted();
          return { lines, found, err, status };
        };
        const good = await rows();
        assert.deepEqual([good.lines, good.err, good.status], [
          [
            "10.5.0.2 ghcr.io/team/new:v2 pulled",
            "10.5.0.2 registry.k8s.io/pause:3.10.1 present",
            "10.5.0.3 ghcr.io/team/new:v2 pulled",
            "10.5.0.3 registry.k8s.io/pause:3.10.1 present",
          ],
          "",
          0,
        ]);
        assert.equal(await imagesOn(wire), before);

        await cluster.setFault("10.5.0.3", "image-missing");
        const bad = await rows();
        assert.equal(bad.lines[2], "10.5.0.3 ghcr.io/team/new:v2 failed");
        assert.match(
          bad.found.find(({ state }) => state === "failed").reason,
          /ghcr\.io\/team\/new:v2: not found/,
        );
        assert.equal(
          bad.err,
          "error: incomplete: 1 of 4 checks did not pass\n",
        );
        assert.equal(bad.status, 3);
        assert.equal(await imagesOn(wire), before);

        const kept = await rows("--pull keep --nodes 10.5.0.2");
        assert.equal(kept.lines[0], "10.5.0.2 ghcr.io/team/new:v2 pulled");
        assert.match(
          await imagesOn(wire),
          /10\.5\.0\.2.*ghcr\.io\/team\/new:v2/,
        );
        const unnamed = await osctl(`${line} --pull keep`);
        assert.match(
          unnamed.err,
          /^error: --pull keep changes nodes, and none are/,
        );
        assert.equal(unnamed.status, 2);
      }),
  );
});

Deno.test("airgap verify removes what it has pulled also when it is interrupted", async () => {
  await withFolder(
    { list: `${list}quay.io/z:1\n` },
    (folder) =>
      withWire({ release: { tag: "v1.13.9" } }, async (wire) => {
        const { osctl, cluster } = wire;
        const before = await imagesOn(wire);
        const line = `airgap verify --image-list ${folder}/list -o jsonl`;
        // The node has pulled it, and its last answer is lost.
        const lost = { method: "Pull", calls: 1 };
        await cluster.setFault("10.5.0.2", "stream-drop", lost);
        const failed = await osctl(line);
        assert.match(failed.out, /"state":"failed"/);
        assert.equal(await imagesOn(wire), before);

        await cluster.setFault("10.5.0.2", "slow", {
          method: "Remove",
          ms: 200,
        });
        const images = cluster.nodes[0]?.disk.images;
        let take = (_: SignalName): ExitStatus | undefined => undefined;
        const watch = setInterval(() => {
          if (!images?.get("cri/system")?.has("ghcr.io/team/new:v2")) return;
          clearInterval(watch);
          take("SIGINT");
        }, 1);
        const ran = await osctl(line, {
          claimSignals(given) {
            take = given;
          },
        });
        assert.match(ran.err, /^Removing what was pulled; interrupt again/m);
        assert.equal(ran.status, 130);
        assert.equal(await imagesOn(wire), before);
        assert.equal(take("SIGTERM"), 143);
      }),
  );
});

Deno.test("airgap verify asks nodes before v1.13 whether registries answer, and to pull only what they may keep", async () => {
  await using registry = upstream();
  await withFolder(
    { list },
    (folder) =>
      withWire({ release: { tag: "v1.12.11" } }, async (wire) => {
        const line = `airgap verify --image-list ${folder}/list`;
        const mirror = `--mirror http://${registry.host}`;
        const before = await imagesOn(wire);
        const states = async (more: string) => {
          const { out, status } = await wire.osctl(`${line} ${more} -o jsonl`);
          const rows = out.trim().split("\n").map((row) => JSON.parse(row))
            .filter(({ node }) => node === "10.5.0.2")
            .map(({ state, reason }) => `${state} ${reason}`.trim());
          return [...rows, status];
        };
        // The mirror has another image under the tag of the one the node has.
        assert.deepEqual(await states(mirror), ["reachable", "reachable", 0]);
        assert.deepEqual(await states(""), [
          "unknown nodes before v1.13 cannot remove images; use --pull keep, or name the mirror",
          "present",
          3,
        ]);
        // Images missing in the mirror are not known to be anywhere.
        registry.missing.add("team/new");
        assert.deepEqual((await states(mirror)).slice(0, 1), [
          "unknown nodes before v1.13 cannot remove images; use --pull keep, or name the mirror",
        ]);
        registry.missing.clear();
        await wire.cluster.setFault("10.5.0.2", "registry-down");
        const [silent, , status] = await states(mirror);
        assert.match(
          String(silent),
          /^unknown nodes before v1\.13 cannot remove images, and no registry answers: .*dial tcp: i\/o timeout/s,
        );
        assert.equal(status, 3);
        await wire.cluster.setFault("10.5.0.2", "registry-down", false);
        assert.equal(await imagesOn(wire), before);
        const kept = await wire.osctl(`${line} --pull keep --nodes @all`);
        assert.match(kept.out, /ghcr\.io\/team\/new:v2 +pulled$/m);
        assert.equal(kept.status, 0);
      }),
  );
});

Deno.test("airgap verify finds what a mirror lacks, has in part or has under another digest", async () => {
  await using registry = upstream();
  const right = registry.findDigest("a/right:v1");
  const other = registry.findDigest("a/other:v2");
  const lines = [
    "quay.io/a/plain:v1",
    `quay.io/a/right:v1@${right}`,
    `quay.io/a/other:v1@sha256:${"0".repeat(64)}`,
    `quay.io/a/moved:v1@${other}`,
    "quay.io/a/gone:v1",
  ];
  registry.missing.add("a/gone");
  await withFolder({ list: lines.join("\n") }, async (folder) => {
    const flags = `--image-list ${folder}/list --pull never`;
    const states = async (mirror: string) => {
      const { out, status, err } = await run(
        `airgap verify ${flags} --mirror ${mirror} -o jsonl`,
      );
      assert.notEqual(out, "", err);
      const rows = out.trim().split("\n").map((line) => JSON.parse(line));
      const found = rows.map(({ image, state, reason }) =>
        `${image.slice("quay.io/a/".length)} ${state} ${reason.slice(0, 30)}`
      );
      return [...found, status];
    };
    const url = `http://${registry.host}`;
    assert.deepEqual(await states(url), [
      "gone:v1 missing ",
      `moved:v1 different its tag points to ${
        registry.findDigest("a/moved:v1").slice(0, 12)
      }`,
      `other:v1 different its tag points to ${
        registry.findDigest("a/other:v1").slice(0, 12)
      }`,
      "plain:v1 ok ",
      "right:v1 ok ",
      3,
    ]);

    // A directory with one platform, then one that is damaged.
    await Deno.writeTextFile(
      `${folder}/list`,
      `quay.io/a/plain:v1\nquay.io/a/right:v1@${right}\n`,
    );
    const usb = `${folder}/usb`;
    const copied = await run(
      `airgap mirror --image-list ${folder}/list --from ${url} --to ${usb} --platform linux/amd64`,
    );
    assert.equal(copied.status, 0);
    assert.deepEqual(await states(usb), ["plain:v1 ok ", "right:v1 ok ", 0]);
    const [, blob = ""] = registry.blobs
      .find((name) => name.startsWith("a/right sha256:"))?.split(":") ?? [];
    await Deno.remove(`${usb}/blobs/sha256/${blob}`);
    assert.deepEqual(await states(usb), [
      "plain:v1 ok ",
      "right:v1 missing it lacks the blob sha256:" + blob.slice(0, 5),
      3,
    ]);
    const idle = await run(`airgap verify ${flags}`);
    assert.match(idle.err, /^error: Nothing to check: --pull never needs/);
  });
});
