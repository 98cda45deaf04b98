/** Names of container images, read as container runtimes read them. */

/** A name in its parts. */
export interface ImageName {
  /** Registry and path: `docker.io/library/nginx`. */
  readonly repository: string;
  /** Tag; absent in a name with a digest. */
  readonly tag?: string;
  /** `sha256:` and 64 hexadecimal digits; absent in a name with a tag. */
  readonly digest?: string;
}

const pattern =
  /^((?:[\w.-]+(?::\d+)?\/)?(?:[a-z0-9]+(?:[._-]+[a-z0-9]+)*\/)*[a-z0-9]+(?:[._-]+[a-z0-9]+)*)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

/**
 * Reads the name of an image.
 *
 * @param text Name; without a registry that of Docker, without tag and digest `latest`. Of tag and digest the digest counts.
 * @returns `undefined` when it is no name of an image.
 */
export function imageName(text: string): ImageName | undefined {
  const [, path, tag = "latest", digest] = pattern.exec(text) ?? [];
  if (path === undefined) return undefined;
  const repository = withRegistry(path);
  return digest === undefined ? { repository, tag } : { repository, digest };
}

/** The name in full. */
export function imageText({ repository, tag, digest }: ImageName): string {
  return digest === undefined
    ? `${repository}:${tag}`
    : `${repository}@${digest}`;
}

function withRegistry(path: string): string {
  const [first = "", ...rest] = path.split("/");
  if (rest.length === 0) return `docker.io/library/${path}`;
  return /[.:A-Z]|^localhost$/.test(first) ? path : `docker.io/${path}`;
}
