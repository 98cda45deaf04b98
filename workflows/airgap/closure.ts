/** All images that configurations, nodes and planned upgrades need, each once. */

import { fullImageName } from "../../config/images.ts";

/** An image that is needed, as one place names it. */
export interface NeededImage {
  /** Name with tag, digest or both. */
  readonly image: string;
  /** Who needs it: `controlplane.yaml: machine.install.image`, `10.0.0.2: runs kube-system/coredns`. */
  readonly source: string;
  /** Digest of its manifest or index, where the place knows it. */
  readonly digest?: string;
}

/** An image of the closure. */
export interface ClosureImage {
  /** Name in full, with its tag; without a tag where it is known by its digest alone. */
  readonly name: string;
  /** Digest of its manifest or index; `undefined` while it is not known. */
  readonly digest: string | undefined;
  /** Who needs it, in the order they were found. */
  readonly sources: readonly string[];
}

/** Images that are needed, and what could not be found out. */
export interface Needs {
  /** Images, the same one possibly more than once. */
  readonly images: readonly NeededImage[];
  /** What may need further images that cannot be known from here; a sentence each. */
  readonly notes: readonly string[];
}

/** Puts together what several places need. */
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
 * @returns In the order of their names. One that is needed with several digests is there with each of them.
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

/** An image that is known by its digest alone may be one that another place knows by its tag. */
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
 * The name by which other tools find an image: with its digest where that is known.
 *
 * @returns `registry.k8s.io/pause:3.10.1@sha256:…`.
 */
export function reference(
  { name, digest }: Pick<ClosureImage, "name" | "digest">,
): string {
  return digest === undefined ? name : `${name}@${digest}`;
}

/** Takes a digest off a name, and writes the rest in full; with a digest it needs no tag. */
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
