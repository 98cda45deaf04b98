/** Location of images: a registry mirror or a directory. */

import { UsageError } from "../../errors.ts";
import {
  type ImageReference,
  parseReference,
} from "../image_cache/reference.ts";
import { type ClosureImage, reference } from "./closure.ts";

/** A registry that mirrors others, with the same repositories. */
interface MirrorRegistry {
  readonly kind: "registry";
  readonly text: string;
  readonly host: string;
  /** Scheme of requests; absent to detect it. */
  readonly scheme?: "https" | "http";
  /** Prefix of repositories, with a trailing slash; empty for none. */
  readonly prefix: string;
}

interface MirrorDirectory {
  readonly kind: "directory";
  readonly text: string;
  /** Path, without a trailing slash. */
  readonly path: string;
}

/** Location of images. */
export type ImagePlace = MirrorRegistry | MirrorDirectory;

/**
 * Parses a location of images.
 *
 * @param text `registry.example.com`, `https://10.0.0.1:5000/mirror`; a directory begins with `/`, `./`, `../` or `~`,
 * or has neither dot nor colon in its first part.
 * @throws {UsageError} If it is neither.
 */
export function parsePlace(text: string): ImagePlace {
  const [, scheme, rest = ""] = /^(?:(https?):\/\/)?(.*)$/s.exec(text) ?? [];
  const [host = "", ...path] = rest.replace(/\/+$/, "").split("/");
  const isPath = scheme === undefined &&
    (/^[./~]/.test(text) || /^[^.:]+$/.test(host) && host !== "localhost");
  if (isPath) {
    return {
      kind: "directory",
      text,
      path: text.replace(/(?<=[^/])\/+$/, ""),
    };
  }
  const isRight = /^[\w.[\]:-]+$/.test(host) &&
    path.every((part) => /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*$/.test(part));
  if (!isRight) {
    throw new UsageError(
      `"${text}" is neither a registry, such as registry.example.com:5000, nor a directory, such as ./images`,
    );
  }
  return {
    kind: "registry",
    text,
    host,
    prefix: path.length === 0 ? "" : `${path.join("/")}/`,
    ...scheme !== undefined &&
      { scheme: scheme === "https" ? "https" : "http" },
  };
}

/** Reference of an image in its own registry. */
export function ownReference(image: ClosureImage): ImageReference {
  return parseReference(reference(image));
}

/** Reference of an image in a mirror: the same repository without the registry, as nodes request it from mirrors. */
export function mirrorReference(
  image: ClosureImage,
  { host, prefix, scheme }: MirrorRegistry,
): ImageReference {
  const own = ownReference(image);
  const { tag, digest } = own;
  const repository = `${prefix}${own.repository}`;
  const tagged = tag === undefined ? "" : `:${tag}`;
  const pinned = digest === undefined ? "" : `@${digest}`;
  return {
    ...own,
    text: `${host}/${repository}${tagged}${pinned}`,
    host,
    registry: host.replace(/:(\d+)$/, "_$1_"),
    repository,
    ...scheme !== undefined && { scheme },
  };
}
