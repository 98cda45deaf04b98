import assert from "node:assert/strict";
import { hashBytes } from "../../../workflows/image_cache/fetch_blob.ts";
import {
  listExtensions,
  listOverlays,
} from "../../../workflows/image_cache/bundle_lists.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";
import { withFolder } from "../../_folder.ts";

const files = {
  "image-digests": `ghcr.io/siderolabs/amdgpu:20250917@sha256:aa
ghcr.io/siderolabs/ecr:v1.5@sha256:bb
`,
  "descriptions.yaml": "{}",
  "overlays.yaml": `overlays:
  - name: rpi
    image: ghcr.io/siderolabs/sbc-raspberrypi:v0.1.0
    digest: sha256:cc
`,
};

/** Archive of files, made by `tar`. */
async function pack(folder: string): Promise<Uint8Array<ArrayBuffer>> {
  const { stdout } = await new Deno.Command("tar", {
    args: ["-czf", "-", "-C", folder, "."],
  }).output();
  return new Uint8Array(stdout);
}

/** A registry with one image, whose layer can be replaced by other bytes. */
function serveImage(layer: Uint8Array<ArrayBuffer>) {
  const contents = new Map<string, Uint8Array<ArrayBuffer>>();
  const add = (bytes: Uint8Array<ArrayBuffer>) => {
    const digest = hashBytes(bytes);
    contents.set(digest, bytes);
    return { mediaType: "x", digest, size: bytes.length };
  };
  const encode = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value));
  const top = encode({
    schemaVersion: 2,
    manifests: [add(encode({ schemaVersion: 2, layers: [add(layer)] }))],
  });
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    ({ url }) => {
      const name = new URL(url).pathname.split("/").at(-1) ?? "";
      return new Response(name === "v1.12.1" ? top : contents.get(name));
    },
  );
  const { signal } = new AbortController();
  const login = () => Promise.resolve(undefined);
  return {
    contents,
    image: `127.0.0.1:${server.addr.port}/siderolabs/lists:v1.12.1`,
    context: {
      registry: registryClient({ insecure: false, login, signal }),
      signal,
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

Deno.test("extensions and overlays of a release are lists in images of the registry", async () => {
  await withFolder(files, async (folder) => {
    await using server = serveImage(await pack(folder));
    const { image, context } = server;
    assert.deepEqual(await listExtensions(image, context), [
      "ghcr.io/siderolabs/amdgpu:20250917@sha256:aa",
      "ghcr.io/siderolabs/ecr:v1.5@sha256:bb",
    ]);
    assert.deepEqual(await listOverlays(image, context), [
      "ghcr.io/siderolabs/sbc-raspberrypi:v0.1.0@sha256:cc",
    ]);
  });
});

Deno.test("an image without the list is named", async () => {
  await withFolder({ "overlays.yaml": "none: 1" }, async (folder) => {
    await using server = serveImage(await pack(folder));
    const { image, context } = server;
    await assert.rejects(listExtensions(image, context), {
      message: `${image} has no list of images in image-digests`,
    });
    await assert.rejects(listOverlays(image, context), {
      message: `${image} has no list of images in overlays.yaml`,
    });
  });
});
