import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";
import {
  registryPrograms,
  upstream,
  withDebianRegistry,
} from "../../_registries.ts";
import { run } from "../../_run.ts";

const list = "registry.k8s.io/pause:3.10.1\nnginx\n";

Deno.test({
  name:
    "airgap mirror copies images into a directory and from there into a registry with TLS and a login, for skopeo to read",
  ...needs(...registryPrograms),
  async fn() {
    await using origin = upstream();
    await withDebianRegistry(async ({ host, folder, flags, env, skopeo }) => {
      await Deno.writeTextFile(`${folder}/list`, list);
      const usb = `${folder}/usb`;
      const mirror = async (line: string) => {
        const { out, err, status } = await run(
          `airgap mirror ${line} ${flags} -o jsonl`,
          {},
          { env },
        );
        const rows = out.trim().split("\n").map((row) => JSON.parse(row));
        return { rows, err, status };
      };
      const fetched =
        `--image-list ${folder}/list --from http://${origin.host} --to ${usb}`;
      const first = await mirror(fetched);
      const platforms = ["linux/amd64", "linux/arm64"];
      assert.deepEqual(first.rows, [
        {
          image: "docker.io/library/nginx:latest",
          digest: origin.findDigest("library/nginx:latest"),
          state: "copied",
          platforms,
          bytes: 50_510,
          reason: "",
        },
        {
          image: "registry.k8s.io/pause:3.10.1",
          digest: origin.findDigest("pause:3.10.1"),
          state: "copied",
          platforms,
          bytes: 494,
          reason: "",
        },
      ]);
      assert.equal(
        first.err,
        "2 copied (51 kB), 0 already there, 0 failed\n",
      );
      // The layer that all share was fetched once.
      assert.equal(origin.blobs.length, 9);
      const again = await mirror(fetched);
      assert.deepEqual(again.rows.map(({ state }) => state), ["kept", "kept"]);
      assert.equal(origin.blobs.length, 9);

      const pushed = `--from ${usb} --to ${host}/mirror`;
      const second = await mirror(pushed);
      assert.deepEqual(
        second.rows.map(({ digest, state }) => [digest, state]),
        first.rows.map(({ digest }) => [digest, "copied"]),
      );
      const third = await mirror(pushed);
      assert.deepEqual(third.rows.map(({ state }) => state), ["kept", "kept"]);
      assert.equal(
        third.err,
        "0 copied (0 B), 2 already there, 0 failed\n",
      );

      // Another program finds every platform of it in both places.
      const remote = `docker://${host}/mirror/pause`;
      const raw = await skopeo("inspect", "--raw", `${remote}:3.10.1`);
      const { manifests } = JSON.parse(raw);
      assert.equal(manifests.length, 2);
      const digest = origin.findDigest("pause:3.10.1");
      const copy = `oci:${folder}/copy:pause`;
      await skopeo("copy", "--all", `${remote}@${digest}`, copy);
      const local = `oci:${usb}:registry.k8s.io/pause:3.10.1`;
      const arm = ["--override-arch", "arm64", "--override-os", "linux"];
      for (const place of [copy, local]) {
        const { Architecture, Layers } = JSON.parse(
          await skopeo(...arm, "inspect", place),
        );
        assert.deepEqual([Architecture, Layers.length], ["arm64", 2]);
      }

      // Straight from registry to registry; this one takes nothing that is not whole.
      const direct =
        `--image-list ${folder}/list --from http://${origin.host} --to ${host}/direct`;
      const whole = await mirror(direct);
      assert.deepEqual(whole.rows.map(({ state }) => state), [
        "copied",
        "copied",
      ]);
      const part = await mirror(
        `${direct.replace("direct", "part")} --platform linux/amd64`,
      );
      assert.equal(
        part.rows[1].reason,
        `${host}/part accepts only complete images, and registry.k8s.io/pause:3.10.1 was copied for linux/amd64 only; copy all platforms with: --platform all`,
      );
      assert.equal(part.status, 1);

      const wrong = await run(`airgap mirror ${pushed} ${flags}`, {}, {
        env: { DOCKER_CONFIG: `${folder}/none` },
      });
      assert.match(wrong.out, /failed .* requires\s+credentials/);
      const unknown = await run(
        `airgap mirror ${pushed.replace(host, `https://${host}`)}`,
        {},
        { env },
      );
      assert.match(unknown.out, /failed .* Cannot reach registry/);
      assert.equal(unknown.status, 1);
    });
  },
});

Deno.test("airgap mirror copies what it can, and resumes a copy that was interrupted", async () => {
  await using origin = upstream();
  await withFolder({ list }, async (folder) => {
    const line =
      `airgap mirror --image-list ${folder}/list --from http://${origin.host} --to ${folder}/usb`;
    origin.missing.add("pause");
    const partial = await run(line);
    assert.match(
      partial.out,
      /^registry\.k8s\.io\/pause:3\.10\.1 +failed +0 B +http:\/\/\S+ does not have registry\.k8s\.io\/pause:3\.10\.1$/m,
    );
    assert.equal(
      partial.err,
      "1 copied (50 kB), 0 already there, 1 failed\nerror: partial: 1 of 2 images were not copied\nhint: Run the same command again: images that are already there are not copied again\n",
    );
    assert.equal(partial.status, 3);
    origin.missing.clear();

    // One platform, with what another run has left of a layer.
    const alone = line.replace("/usb", "/alone");
    await Deno.mkdir(`${folder}/alone/blobs/sha256`, { recursive: true });
    const layer = origin.layer.slice("sha256:".length);
    await Deno.writeTextFile(`${folder}/alone/blobs/sha256/${layer}.part`, "");
    origin.cuts = 1;
    const { out, status } = await run(`${alone} --platform linux/arm64`);
    assert.match(out, /^registry\.k8s\.io\/pause:3\.10\.1 .* linux\/arm64$/m);
    assert.equal(status, 0);
    const left = [];
    for await (const { name } of Deno.readDir(`${folder}/alone/blobs/sha256`)) {
      if (name.endsWith(".part")) left.push(name);
    }
    assert.deepEqual(left, []);
    const missing = await run(`${alone} --platform linux/riscv64`);
    assert.match(missing.out, /is not available for\s+linux\/riscv64/);

    const stop = new AbortController();
    const [, first] = await Promise.all([
      stop.abort(),
      run(line.replace("/usb", "/stopped"), {}, { signal: stop.signal }),
    ]);
    assert.notEqual(first.status, 0);
    assert.equal((await run(line.replace("/usb", "/stopped"))).status, 0);
  });
});

Deno.test("airgap mirror refuses images of one name from two registries, and places that are no places", async () => {
  await using origin = upstream();
  const digest = origin.findDigest("a/b:v2");
  const lines = `quay.io/a/b:v1\nregistry.k8s.io/a/b:v1@${digest}\n`;
  await withFolder({ list: lines, "full/file": "" }, async (folder) => {
    const from = `--image-list ${folder}/list --from http://${origin.host}`;
    const taken = await run(
      `airgap mirror ${from} --to http://${origin.host}/m`,
    );
    const reason =
      `http://${origin.host}/m would store registry.k8s.io/a/b:v1 and quay.io/a/b:v1 in one place, ${origin.host}/m/a/b:v1`;
    assert.ok(taken.out.replaceAll(/\s+/g, " ").includes(reason), taken.out);
    for (
      const [line, message, status] of [
        [`${from} --to ${folder}/full`, 'full" holds other files', 5],
        [
          `${from} --to http://${origin.host}`,
          "--from and --to are the same",
          2,
        ],
        [`${from} --to a.b/C`, '"a.b/C" is neither a registry', 2],
        [`${from} --to x --platform arm`, "must be all, or platforms", 2],
        [`--from ${folder}/none --to x`, 'none" is not an OCI layout', 2],
      ] as const
    ) {
      const ran = await run(`airgap mirror ${line}`);
      assert.ok(ran.err.includes(message), ran.err);
      assert.equal(ran.status, status);
    }
  });
});
