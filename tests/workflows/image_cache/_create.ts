/** Caches made by tests. */

import { createCache } from "../../../workflows/image_cache/create_cache.ts";
import type { FetchEvent } from "../../../workflows/image_cache/fetch_images.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import type { RegistryLogin } from "../../../workflows/image_cache/registry_logins.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";

/** Makes a cache in `folder/cache`; gives what it reported. */
export async function create(
  host: string,
  folder: string,
  more: {
    readonly platforms?: readonly string[];
    readonly layout?: "oci" | "flat";
    readonly layers?: string;
    readonly signatures?: boolean;
    readonly image?: string;
    readonly login?: RegistryLogin;
    readonly onEvent?: (event: FetchEvent) => void;
    readonly signal?: AbortSignal;
  } = {},
): Promise<FetchEvent[]> {
  const events: FetchEvent[] = [];
  const { signal = new AbortController().signal, login, layers } = more;
  const { signatures = false } = more;
  await createCache({
    registry: registryClient({
      insecure: false,
      login: () => Promise.resolve(login),
      signal,
    }),
    images: [parseReference(more.image ?? `${host}/team/app:v1`)],
    platforms: more.platforms ?? ["linux/amd64"],
    target: `${folder}/cache`,
    layout: more.layout ?? "flat",
    signatures,
    now: new Date("2026-01-02T03:04:05Z"),
    signal,
    progress(event) {
      events.push(event);
      more.onEvent?.(event);
    },
    ...layers !== undefined && { layers },
  });
  return events;
}

/** Files in a folder and those below it, sorted. */
export async function filesIn(
  folder: string,
): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (!isDirectory) files.push(name);
    else {
      const inner = await filesIn(`${folder}/${name}`);
      files.push(...inner.map((one) => `${name}/${one}`));
    }
  }
  return files.sort();
}
