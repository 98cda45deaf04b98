import { exists } from "../../lib/files/exists.ts";
import { formatDuration } from "../../lib/duration.ts";
import { RefusedError, UsageError } from "../../errors.ts";
import { createCache } from "../../workflows/image_cache/create_cache.ts";
import type { FetchEvent } from "../../workflows/image_cache/fetch_images.ts";
import { parseReference } from "../../workflows/image_cache/reference.ts";
import { registryClient } from "../../workflows/image_cache/registry.ts";
import { userLogins } from "../../workflows/image_cache/registry_logins.ts";
import {
  bytesText,
  choice,
  type Context,
  type Environment,
  InputProblem,
  requiredText,
  silently,
  strings,
  text,
  toggle,
  type Values,
} from "../_kit/mod.ts";

const inputs = {
  images: {
    ...strings(
      "images to cache; - for standard input",
    ),
    required: true,
  },
  imageCachePath: requiredText("directory to create", {
    complete: "directories",
  }),
  imageLayerCachePath: text(
    "directory to keep layers in, for reuse",
    {
      complete: "directories",
    },
  ),
  layout: choice("layout of the directory: oci or flat", ["oci", "flat"], {
    initial: "oci",
  }),
  platform: {
    ...strings("platforms, such as linux/arm64", { initial: ["linux/amd64"] }),
    parse(value: string, before: readonly string[] | undefined) {
      const all = value.split(",").map((one) => one.trim());
      const wrong = all.find((one) => !/^[a-z]+\/[a-z0-9]+(\/v\d)?$/.test(one));
      if (wrong === undefined) return [...before ?? [], ...all];
      throw new InputProblem("must be platforms such as linux/amd64");
    },
  },
  cosignSignatures: toggle("also fetch signatures that cosign stored", {
    initial: true,
  }),
  insecure: toggle("allow plain HTTP for registries without TLS"),
  force: toggle("replace the directory if it exists"),
};

type CacheInputs = Values<typeof inputs>;

export const command = silently({
  summary: "Create an image cache in a directory",
  description:
    `Downloads images with all layers and verifies their digests. The directory is an OCI layout with one image, whose layer
contains all of them, or, with --layout flat, the files themselves.

An interrupted download is kept next to the directory, under its name with .part: the same command resumes and
downloads nothing twice. Credentials are read from the Docker configuration (config.json in $DOCKER_CONFIG, then in
~/.docker), or from the credential helper that it names (credHelpers, credsStore).`,
  inputs,
  examples: [
    "image default | osctl image cache-create --images - --image-cache-path ./cache",
    "image cache-create --images registry.k8s.io/pause:3.10.1 --platform linux/amd64,linux/arm64 --image-cache-path ./cache",
  ],
  noStep: "it only writes files on this machine",
  async work(context: Context<CacheInputs>) {
    const { input, environment, signal } = context;
    const images = (await readNames(input, environment)).map(parseReference);
    if (images.length === 0) throw new UsageError("No images to cache");
    const target = input.imageCachePath.replace(/\/+$/, "");
    if (!input.force && await exists(target)) {
      throw new RefusedError(`"${target}" already exists`, {
        hint: "Replace it with --force",
      });
    }
    const login = await userLogins(environment.env, signal);
    const registry = registryClient({
      insecure: input.insecure,
      login,
      signal,
    });
    await createCache({
      registry,
      images,
      platforms: [...new Set(input.platform)],
      target,
      layout: input.layout,
      signatures: input.cosignSignatures,
      now: environment.now(),
      signal,
      progress: showProgress(context),
      layers: input.imageLayerCachePath,
    });
  },
});

/** Names from the arguments, or one per line from standard input. */
async function readNames(
  { images }: CacheInputs,
  { stdin }: Environment,
): Promise<readonly string[]> {
  if (images[0] !== "-") return images;
  const lines = await new Response(stdin.readable).text();
  return lines.split("\n").map((line) => line.trim())
    .filter((line) => line !== "");
}

/** Progress: a line for each image and layer, and on a terminal the progress of the current one. */
function showProgress(
  { note, environment }: Pick<Context<unknown>, "note" | "environment">,
): (event: FetchEvent) => void {
  const { live, now } = environment;
  let started = { digest: "", at: 0, from: 0 };
  return (event) => {
    if (event.kind === "image") {
      return note(`fetching image "${event.image}" for ${event.platform}`);
    }
    const { digest, size } = event;
    if (event.kind !== "bytes") {
      live?.draw([]);
      const how = event.kind === "kept" ? "already here" : "done";
      return note(`> layer "${digest}" (size ${bytesText(size)}): ${how}`);
    }
    const at = now().getTime();
    if (started.digest !== digest) {
      started = { digest, at, from: event.done };
    }
    const rate = (event.done - started.from) / Math.max(1, at - started.at);
    const left = rate > 0
      ? `, ${
        formatDuration(Math.ceil((size - event.done) / rate / 1000) * 1000)
      } left`
      : "";
    live?.draw([
      `> ${digest.slice(0, 19)}: ${bytesText(event.done)} of ${
        bytesText(size)
      }, ${bytesText(Math.round(rate * 1000))}/s${left}`,
    ]);
  };
}
