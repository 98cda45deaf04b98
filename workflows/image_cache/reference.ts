import { UsageError } from "../../errors.ts";

/** A parsed image reference. */
export interface ImageReference {
  readonly text: string;
  /** Host with port for requests: `registry-1.docker.io`. */
  readonly host: string;
  /** Scheme of requests; absent to detect it. */
  readonly scheme?: "https" | "http";
  /** Registry as caches name it: `docker.io`, `10.0.0.1_5000_`. */
  readonly registry: string;
  /** Path of the repository: `library/alpine`. */
  readonly repository: string;
  /** Tag; absent for a reference by digest only. */
  readonly tag?: string;
  /** Digest: `sha256:` and 64 digits. */
  readonly digest?: string;
}

const name =
  /^([a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*)*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * Parses an image reference; default tag `latest`, default registry Docker Hub.
 *
 * @throws {UsageError} If it is not valid.
 */
export function parseReference(text: string): ImageReference {
  const fault = imageFault(text);
  if (fault !== undefined) {
    throw new UsageError(`"${text}" is not an image name: ${fault}`);
  }
  const [first, isHost, rest] = splitHost(text);
  const [, path = "", tag, digest] = name.exec(rest) ?? [];
  const isHub = !isHost || first === "docker.io" || first === "index.docker.io";
  return {
    text,
    host: isHub ? "registry-1.docker.io" : first,
    registry: isHub ? "docker.io" : registryFolder(first),
    repository: isHub && !path.includes("/") ? `library/${path}` : path,
    ...digest !== undefined && { digest },
    ...tag !== undefined
      ? { tag }
      : digest === undefined
      ? { tag: "latest" }
      : {},
  };
}

/** Folder of a registry in a cache; some file systems do not allow colons. */
export function registryFolder(registry: string): string {
  return registry.replace(/:(\d+)$/, "_$1_");
}

/**
 * Reports why a text is not an image reference.
 *
 * @returns Lower case first: `it contains spaces`; `undefined` when it is valid.
 */
export function imageFault(text: string): string | undefined {
  if (/^v?\d+\.\d+\.\d+/.test(text) && !text.includes("/")) {
    return "it is a version";
  }
  if (/^\w+:\/\//.test(text)) return "it has a scheme; remove it";
  if (/\s/.test(text)) return "it contains spaces";
  const [first, isHost, rest] = splitHost(text);
  const [path = ""] = rest.split(/[:@]/);
  if (/[A-Z]/.test(path)) return "its path has upper-case letters";
  const isHostName = !isHost || /^[\w.[\]:-]+$/.test(first);
  return isHostName && name.test(rest) ? undefined : example;
}

const example = "write one such as registry.k8s.io/pause:3.10.1";

/** The first part is a registry if it contains a dot or a colon, or is `localhost`. */
function splitHost(
  text: string,
): readonly [first: string, isHost: boolean, rest: string] {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(0, slash));
  const isHost = /[.:]/.test(first) || first === "localhost";
  return [first, isHost, isHost ? text.slice(slash + 1) : text];
}
