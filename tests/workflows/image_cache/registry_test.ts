import assert from "node:assert/strict";
import { needs } from "../../_needs.ts";
import { registryPrograms, withDebianRegistry } from "../../_registries.ts";
import { dockerLogins } from "../../../workflows/image_cache/registry_logins.ts";
import { hashBytes } from "../../../workflows/image_cache/fetch_blob.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";

Deno.test({
  name: "a registry takes blobs in parts, and manifests whose blobs it has",
  ...needs(...registryPrograms),
  async fn() {
    await withDebianRegistry(async ({ host, folder }) => {
      const { signal } = new AbortController();
      const ca = await Deno.readTextFile(`${folder}/ca.crt`);
      using client = Deno.createHttpClient({ caCerts: [ca] });
      const path = `${folder}/config.json`;
      const registry = registryClient({
        insecure: false,
        login: await dockerLogins({ path, signal }),
        client,
        signal,
      });
      const image = parseReference(`${host}/team/app:v1`);
      // More than one part of 8 MiB.
      const content = new Uint8Array(9_000_000).fill(7);
      const digest = hashBytes(content);
      async function* chunks() {
        yield content.subarray(0, 3);
        yield content.subarray(3);
      }
      assert.equal(await registry.hasBlob(image, digest), false);
      await registry.putBlob(image, digest, chunks());
      assert.equal(await registry.hasBlob(image, digest), true);
      const { resumed, body } = await registry.blob(image, digest, 8_999_990);
      const rest = await Array.fromAsync(body);
      assert.deepEqual([resumed, rest.flatMap((one) => [...one]).length], [
        true,
        10,
      ]);

      const other = `sha256:${"0".repeat(64)}`;
      await assert.rejects(registry.putBlob(image, other, chunks()), {
        message: /returned HTTP 400 for team\/app\/uploads: .*DIGEST_INVALID/,
      });

      const mediaType = "application/vnd.oci.image.manifest.v1+json";
      const makeManifest = (blob: string) => {
        const part = { mediaType: "x", digest: blob, size: content.length };
        const manifest = { schemaVersion: 2, mediaType, config: part };
        const text = JSON.stringify({ ...manifest, layers: [part] });
        return { mediaType, bytes: new TextEncoder().encode(text) };
      };
      await assert.rejects(
        registry.putManifest(image, "v1", makeManifest(other)),
        {
          name: "OsctlError",
          message:
            /returned HTTP 400 for team\/app\/manifests\/v1: .*BLOB_UNKNOWN/,
        },
      );
      assert.equal(await registry.hasManifest(image, "v1"), false);
      const whole = makeManifest(digest);
      await registry.putManifest(image, "v1", whole);
      assert.deepEqual(await registry.manifest(image, "v1"), whole.bytes);
      assert.equal(
        await registry.hasManifest(image, hashBytes(whole.bytes)),
        true,
      );
    });
  },
});
