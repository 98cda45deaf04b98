import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { needs } from "../../_needs.ts";
import {
  registryPrograms,
  upstream,
  withDebianRegistry,
} from "../../_registries.ts";
import { run } from "../../_run.ts";

const main = new URL("../../../mod.ts", import.meta.url).pathname;

async function output(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env,
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

/** Starts `osctl image …` in a folder. */
function start(folder: string, line: string) {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", main, "image", ...line.split(" ")],
    cwd: folder,
    stdout: "null",
    stderr: "piped",
  }).spawn();
}

Deno.test({
  name:
    "image cache-serve serves a cache with the certificate of image cache-cert-gen, for skopeo to read and copy to another registry",
  ...needs(...registryPrograms),
  async fn() {
    await using registry = upstream();
    await withFolder({}, async (folder) => {
      const image = `${registry.host}/team/app:v1`;
      const made = await run(
        `image cache-create --layout flat --images ${image} --image-cache-path ${folder}/cache --platform linux/amd64,linux/arm64`,
        {},
        { env: { DOCKER_CONFIG: folder } },
      );
      assert.equal(made.status, 0, made.err);
      const gen = await start(
        folder,
        "cache-cert-gen --advertised-address 127.0.0.1 --advertised-name cache.test",
      ).output();
      assert.equal(
        new TextDecoder().decode(gen.stderr),
        "Wrote ca.crt, tls.crt, tls.key, image-cache-patch.yaml\n",
      );
      const { mode } = await Deno.stat(`${folder}/tls.key`);
      assert.equal(mode! & 0o777, 0o600);
      const patch = await Deno.readTextFile(`${folder}/image-cache-patch.yaml`);
      assert.match(
        patch,
        /^apiVersion: v1alpha1\nkind: TrustedRootsConfig\nname: image-cache-ca\ncertificates: \|\n {2}-----BEGIN/,
      );
      const again = await start(folder, "cache-cert-gen --advertised-name a")
        .output();
      assert.equal(again.code, 5);

      await using server = start(
        folder,
        "cache-serve --image-cache-path cache --address 127.0.0.1:0 --tls-cert-file tls.crt --tls-key-file tls.key",
      );
      const lines = server.stderr.pipeThrough(new TextDecoderStream());
      let said = "";
      for await (const text of lines.values({ preventCancel: true })) {
        said += text;
        if (said.includes("\n")) break;
      }
      const [, host = ""] = /^Serving at https:\/\/(\S+)\n/.exec(said) ?? [];
      const reading = Array.fromAsync(lines);
      const env = { SSL_CERT_FILE: `${folder}/ca.crt` };
      const remote = `docker://${host}/team/app`;
      await output(
        "skopeo",
        ["copy", "--all", `${remote}:v1`, `dir:${folder}/copy`],
        env,
      );
      const digest = registry.findDigest("team/app:v1");
      await output(
        "skopeo",
        ["copy", "--all", `${remote}@${digest}`, `dir:${folder}/digest`],
        env,
      );
      await withDebianRegistry(async ({ host, folder: trust, skopeo }) => {
        const ca = await Deno.readTextFile(`${folder}/ca.crt`);
        await Deno.writeTextFile(`${trust}/ca.crt`, ca, { append: true });
        const copy = `docker://${host}/team/app:v1`;
        await skopeo(
          ...["copy", "--all", "--preserve-digests"],
          ...[`${remote}:v1`, copy],
        );
        const format = ["--format", "{{.Digest}}"];
        const listed = await skopeo("inspect", ...format, copy);
        assert.equal(listed.trim(), digest);
      });
      const manifest = await Deno.readTextFile(`${folder}/copy/manifest.json`);
      assert.equal(JSON.parse(manifest).manifests.length, 2);
      server.kill("SIGINT");
      assert.equal((await server.status).code, 130);
      const log = said + (await reading).join("");
      assert.match(log, /\n200 (GET|HEAD) \/v2\/team\/app\/manifests\/v1\n/);
      assert.doesNotMatch(log, /^[45]/m);
    });
  },
});

Deno.test("image cache-serve writes the mirrors that nodes need", async () => {
  await withFolder({ "cache/manifests/": "" }, async (folder) => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const { port } = listener.addr;
    listener.close();
    await using server = start(
      folder,
      `cache-serve --image-cache-path cache/ --address 127.0.0.1:${port} --mirror ghcr.io`,
    );
    const lines = server.stderr.pipeThrough(new TextDecoderStream());
    let said = "";
    for await (const text of lines.values({ preventCancel: true })) {
      said += text;
      if (said.includes("Serving")) break;
    }
    server.kill("SIGINT");
    await lines.cancel();
    assert.equal(
      await Deno.readTextFile(`${folder}/image-cache-mirrors-patch.yaml`),
      `apiVersion: v1alpha1
kind: RegistryMirrorConfig
name: ghcr.io
endpoints:
  - url: http://127.0.0.1:${port}
`,
    );
  });
});

Deno.test("image cache-serve and cache-cert-gen refuse what they cannot use", async () => {
  await withFolder({ "oci-layout": "{}" }, async (folder) => {
    const serve = `cache-serve --image-cache-path ${folder}`;
    for (
      const [line, message] of [
        [serve, /is not a flat image cache\nhint: .*--layout flat/],
        [`${serve} --tls-key-file x`, /only valid together/],
        [`${serve} --address x`, /must be an address such as 10.0.0.10:3172/],
        [
          "cache-cert-gen",
          /--advertised-address or --advertised-name is required/,
        ],
        ["cache-cert-gen --advertised-address x", /must be an IP address/],
        [
          "cache-cert-gen --advertised-name https://u:p@h/x",
          /must be a DNS name/,
        ],
      ] as const
    ) {
      const { err, status } = await run(`image ${line}`);
      assert.match(err, message);
      assert.equal(status, 2);
    }
  });
});
