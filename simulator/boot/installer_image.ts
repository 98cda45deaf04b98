/** What the name of an installer image says about what it installs. */

/** What an installer brings. */
export interface InstallerImage {
  /** Version of the operating system, with `v`. */
  readonly tag: string;
  /** What the image was made from, 64 hexadecimal digits; absent when it does not say. */
  readonly schematic?: string;
}

/**
 * Reads the name of an installer image.
 *
 * @param reference `registry/installer:v1.12.11`, or `registry/metal-installer/<schematic>:v1.12.11`.
 * @param otherwise Version of an image whose name has no tag.
 * @returns `undefined` when it is the image of something else.
 */
export function installerImage(
  reference: string,
  otherwise: string,
): InstallerImage | undefined {
  const [named = ""] = reference.split("@");
  const [, path = named, tag = otherwise] = /^(.*):([^:/]+)$/.exec(named) ?? [];
  const parts = path.split("/");
  if (!parts.some((part) => /(^|-)installer(-|$)/.test(part))) return undefined;
  const last = parts.at(-1) ?? "";
  return /^[0-9a-f]{64}$/.test(last) ? { tag, schematic: last } : { tag };
}
