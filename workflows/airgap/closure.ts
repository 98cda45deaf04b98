/** All images that configurations, nodes and planned upgrades need, without duplicates. */

import { fullImageName } from "../../config/images.ts";

/** An image required by one source. */
export interface NeededImage {
  /** Name with tag, digest or both. */
  readonly image: string;
  /** Source: `controlplane.yaml: machine.install.image`, `10.0.0.2: runs kube-system/coredns`. */
  readonly source: string;
  /** Digest of its manifest or index, if known. */
  readonly digest?: string;
}

/** An image of the closure. */
export interface ClosureImage {
  /** Full name with tag; without a tag when only the digest is known. */
  readonly name: string;
  /** Digest of its manifest or index; `undefined` if unknown. */
  readonly digest: string | undefined;
  /** Sources in the order found. */
  readonly sources: readonly string[];
}

/** Required images, and what could not be determined. */
export interface Needs {
  /** Images; may contain duplicates. */
  readonly images: readonly NeededImage[];
  /** Places that may need further images, one sentence each. */
  readonly notes: readonly string[];
}

/** Merges the needs of several sources. */
export function allNeeds(parts: Iterable<Needs>): Needs {
  const all = [...parts];
  return {
    images: all.flatMap(({ images }) => images),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
  };
}

/**
 * Lists each image once.
 *
 * @param needed Images in any order.
 * @returns Sorted by name. An image needed with several digests appears once per digest.
 */
export function collectClosure(
  needed: Iterable<NeededImage>,
): readonly ClosureImage[] {
  const byName = new Map<string, Map<string | undefined, Set<string>>>();
  for (const { image, source, digest } of needed) {
    const named = splitDigest(image);
    const known = named.digest ?? digest;
    const digests = byName.get(named.name) ?? new Map();
    byName.set(named.name, digests);
    digests.set(known, (digests.get(known) ?? new Set()).add(source));
  }
  const images = [...byName].flatMap(([name, digests]) => {
    const vague = digests.get(undefined) ?? [];
    if (digests.size > 1) digests.delete(undefined);
    return [...digests].map(([digest, sources]) => ({
      name,
      digest,
      sources: [...new Set([...sources, ...vague])],
    }));
  });
  return withoutDoubles(images).sort((a, b) =>
    Number(reference(a) > reference(b)) - Number(reference(a) < reference(b))
  );
}

/** Drops an image known only by digest when another source has its tag. */
function withoutDoubles(images: readonly ClosureImage[]): ClosureImage[] {
  const tagged = images.filter(({ name }) => hasTag(name));
  const others = images.filter(({ name }) => !hasTag(name));
  const sources = new Map<ClosureImage, string[]>();
  const alone = others.filter((image) => {
    const same = tagged.find(({ name, digest }) =>
      digest === image.digest && parseRepository(name) === image.name
    );
    if (same === undefined) return true;
    sources.set(same, [...sources.get(same) ?? [], ...image.sources]);
    return false;
  });
  return [
    ...tagged.map((image) => ({
      ...image,
      sources: [...new Set([...image.sources, ...sources.get(image) ?? []])],
    })),
    ...alone,
  ];
}

/**
 * Name by which other tools find an image: with its digest if known.
 *
 * @returns `registry.k8s.io/pause:3.10.1@sha256:…`.
 */
export function reference(
  { name, digest }: Pick<ClosureImage, "name" | "digest">,
): string {
  return digest === undefined ? name : `${name}@${digest}`;
}

/** Splits the digest from a name and expands the rest; with a digest no tag is required. */
function splitDigest(
  image: string,
): { readonly name: string; readonly digest: string | undefined } {
  const full = fullImageName(image);
  const at = full.indexOf("@");
  return at < 0
    ? { name: full, digest: undefined }
    : { name: full.slice(0, at), digest: full.slice(at + 1) };
}

function hasTag(name: string): boolean {
  return name.includes(":", name.lastIndexOf("/"));
}

function parseRepository(name: string): string {
  return name.slice(0, name.indexOf(":", name.lastIndexOf("/")));
}
