/** Names of container images. */

import { UsageError } from "../../errors.ts";

/** The name of an image, taken apart. */
export interface ImageReference {
  /** Name as it was written. */
  readonly text: string;
  /** Host, with its port, that requests go to: `registry-1.docker.io`. */
  readonly host: string;
  /** How requests are sent; absent to find out. */
  readonly scheme?: "https" | "http";
  /** Registry as caches name it: `docker.io`, `10.0.0.1_5000_`. */
  readonly registry: string;
  /** Path of the repository: `library/alpine`. */
  readonly repository: string;
  /** Tag; absent when there is only a digest. */
  readonly tag?: string;
  /** Digest: `sha256:` and 64 digits. */
  readonly digest?: string;
}

const name =
  /^([a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * Takes the name of an image apart; without tag and digest the tag is `latest`, without a registry it is Docker Hub.
 *
 * @throws {UsageError} If it is none.
 */
export function parseReference(text: string): ImageReference {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(0, slash));
  const isHost = /[.:]/.test(first) || first === "localhost";
  const [, path = "", tag, digest] =
    name.exec(isHost ? text.slice(slash + 1) : text) ?? [];
  if (path === "" || isHost && !/^[\w.[\]:-]+$/.test(first)) {
    throw new UsageError(
      `"${text}" is not an image name such as registry.k8s.io/pause:3.10.1`,
    );
  }
  const isHub = !isHost || first === "docker.io" || first === "index.docker.io";
  return {
    text,
    host: isHub ? "registry-1.docker.io" : first,
    // Some file systems know no colon.
    registry: isHub ? "docker.io" : first.replace(/:(\d+)$/, "_$1_"),
    repository: isHub && !path.includes("/") ? `library/${path}` : path,
    ...digest !== undefined && { digest },
    ...tag !== undefined
      ? { tag }
      : digest === undefined
      ? { tag: "latest" }
      : {},
  };
}
