import assert from "node:assert/strict";
import { pause } from "../../../lib/pause.ts";
import { CancelledError } from "../../../errors.ts";
import type { RunningCluster } from "../../../simulator/cluster/cluster.ts";
import { readFields } from "../../../simulator/state/kubernetes_objects.ts";
import { testPodPath } from "../../../workflows/conformance/test_objects.ts";
import { withFolder } from "../../_folder.ts";
import { withWire } from "../../_wire.ts";

const failing =
  "[sig-network] Services should be able to change the type from ExternalName to ClusterIP [Conformance]";

Deno.test("conformance kubernetes runs the tests, writes their results, and leaves nothing in the cluster", async () => {
  await withWire({ workers: 1 }, async ({ cluster, names, osctl }) => {
    await withFolder({}, async (folder) => {
      const left = () =>
        cluster.kubernetes.request({
          method: "GET",
          path: "/api/v1/namespaces/conformance",
        }).code;
      const image = "registry.example.com/conformance:v1.34.1";
      const certified = await osctl(
        `conformance kubernetes --mode certified --contact a@example.com --image ${image} --results ${folder}`,
      );
      assert.equal(certified.status, 0, certified.err);
      const place = `${folder}/v1.34/talos`;
      assert.match(
        certified.out,
        /^certified: passed after \d+s: 3 passed, 0 failed; see .*v1\.34\/talos\nSubmit .*\/talos-v1\.12\.11-kubernetes-v1\.34\.1\.tar\.gz\n$/,
      );
      assert.ok(
        certified.err.startsWith(
          `Running the certified tests of v1.34.1 with ${image}\n`,
        ),
        certified.err,
      );
      const read = (name: string) => Deno.readTextFile(`${place}/${name}`);
      assert.equal(
        await read("PRODUCT.yaml"),
        `vendor: Sidero Labs
name: Talos Linux
version: v1.12.11
website_url: https://www.siderolabs.com/
repo_url: https://github.com/siderolabs/talos
documentation_url: https://www.talos.dev
product_logo_url: https://www.talos.dev/images/Sidero_stacked_darkbkgd_RGB.svg
type: installer
description: Talos Linux is Linux designed for Kubernetes - secure, immutable, and minimal.
contact_email_address: a@example.com
`,
      );
      assert.match(
        await read("README.md"),
        /^# Talos Linux v1\.12\.11, Kubernetes v1\.34\.1\n/,
      );
      assert.match(await read("e2e.log"), /SUCCESS! -- 3 Passed/);
      assert.match(await read("junit_01.xml"), /^<\?xml /);
      await unpacksAs(
        `${folder}/talos-v1.12.11-kubernetes-v1.34.1.tar.gz`,
        folder,
      );
      assert.equal(left(), 404);
      const stop = new AbortController();
      const interrupted = osctl(`conformance kubernetes --results ${folder}`, {
        signal: stop.signal,
      });
      while (left() === 404) await pause(5);
      stop.abort(new CancelledError());
      assert.equal((await interrupted).status, 130);
      assert.equal(left(), 404);
      const shell = "registry.example.com/busybox:1";
      const checking = osctl(
        `health --run-e2e --e2e-image ${image} --e2e-results-image ${shell} -o jsonl --nodes ${
          names[0]
        }`,
      );
      assert.deepEqual(await testImages(cluster, checking), [image, shell]);
      const health = await checking;
      assert.equal(health.status, 0, health.err);
      assert.match(
        health.out,
        /\{"check":"tests in Kubernetes to succeed","state":"ok","reason":"","took":[\d.]+\}\n$/,
      );
      for (const name of names) await cluster.setFault(name, "tests-fail");
      const fast = await osctl(
        `conformance kubernetes --results ${folder} -o jsonl`,
      );
      assert.equal(fast.status, 1);
      assert.match(fast.err, /error: The conformance tests failed\n$/);
      const unhealthy = await osctl(`health --run-e2e --nodes ${names[0]}`);
      assert.deepEqual([unhealthy.status, unhealthy.err.split("\n").at(-2)], [
        1,
        "error: Failed waiting for tests in Kubernetes to succeed: they exited with status 1",
      ]);
      const rows = fast.out.trimEnd().split("\n").map((line) =>
        JSON.parse(line)
      );
      assert.deepEqual(
        rows.map(({ took: _, ...row }) => row),
        ["parallel", "serial"].map((name) => ({
          run: name,
          state: "failed",
          passed: 2,
          failed: [failing],
          results: `${folder}/v1.34/${name}`,
          archive: "",
        })),
      );
      assert.equal(left(), 404);
      for (const name of names) {
        await cluster.setFault(name, "tests-fail", false);
        await cluster.setFault(name, "tests-hang");
      }
      const late = await osctl(
        `conformance kubernetes --results ${folder}/late --wait-timeout 1s`,
      );
      assert.deepEqual([late.status, late.err.split("\n").at(-2)], [
        4,
        "error: The parallel tests did not finish in time: 3 of 3 tests finished, 1 failed",
      ]);
      assert.match(
        late.out,
        /^parallel: timed out after \d+s: 2 passed, 1 failed; see .*late\/v1\.34\/parallel\n {2}failed: .*\n$/,
      );
      const log = `${folder}/late/v1.34/parallel/e2e.log`;
      assert.match(await Deno.readTextFile(log), /^• \[TIMEDOUT\] /m);
      const waited = await osctl(
        `health --run-e2e --wait-timeout 1s --nodes ${names[0]}`,
      );
      assert.deepEqual([waited.status, waited.err.split("\n").at(-2)], [
        4,
        "error: Failed waiting for tests in Kubernetes to succeed: The tests did not finish in time: 3 of 3 tests finished, 1 failed",
      ]);
      assert.equal(left(), 404);
    });
  });
});

/** Images of the test pod, once there is one; none when the command ends without it. */
async function testImages(
  { kubernetes }: Pick<RunningCluster, "kubernetes">,
  command: Promise<unknown>,
): Promise<readonly unknown[]> {
  let isOver = false;
  const over = () => isOver = true;
  command.then(over, over);
  while (!isOver) {
    const { code, body } = kubernetes.request({
      ...{ method: "GET", path: testPodPath },
    });
    if (code === 200) {
      const { containers } = readFields(readFields(body).spec);
      assert.ok(Array.isArray(containers));
      return containers.map(({ image }) => image);
    }
    await pause(5);
  }
  return [];
}

/** The archive holds the four files that the CNCF asks for, as they are in the folder. */
async function unpacksAs(archive: string, folder: string): Promise<void> {
  const tar = async (...args: readonly string[]) => {
    const { stdout, stderr, success } = await new Deno.Command("tar", {
      args: [...args],
    }).output();
    const text = new TextDecoder();
    assert.ok(success, text.decode(stderr));
    return text.decode(stdout);
  };
  const listed = await tar("--list", "--verbose", "--gzip", "--file", archive);
  assert.deepEqual(
    listed.trimEnd().split("\n").map((
      line,
    ) => [line.split(" ")[0], line.split(" ").at(-1)]),
    ["PRODUCT.yaml", "README.md", "e2e.log", "junit_01.xml"].map((
      name,
    ) => ["-rw-r--r--", `v1.34/talos/${name}`]),
  );
  const unpacked = `${folder}/unpacked`;
  await Deno.mkdir(unpacked);
  await tar("--extract", "--gzip", "--file", archive, "--directory", unpacked);
  for await (const { name } of Deno.readDir(`${folder}/v1.34/talos`)) {
    assert.equal(
      await Deno.readTextFile(`${unpacked}/v1.34/talos/${name}`),
      await Deno.readTextFile(`${folder}/v1.34/talos/${name}`),
    );
  }
}
