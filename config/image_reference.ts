/** Names of container images. */

/** Registry of names that have none. */
const usualRegistry = "docker.io";

/**
 * Writes the name of an image in full, as container runtimes list it.
 *
 * Source: the rules of the Docker distribution reference: the first part is a registry when it has a dot or
 * a colon or is `localhost`; images of the usual registry without a folder are in `library`; the usual tag is `latest`.
 *
 * @param reference `nginx`, `quay.io/a/b:v1`, `a/b@sha256:…`.
 */
export function fullImageName(reference: string): string {
  const at = reference.indexOf("@");
  const digest = at < 0 ? "" : reference.slice(at);
  const named = at < 0 ? reference : reference.slice(0, at);
  const slash = named.indexOf("/");
  const first = slash < 0 ? "" : named.slice(0, slash);
  const hasRegistry = /[.:]/.test(first) || first === "localhost";
  const registry = hasRegistry ? first : usualRegistry;
  const path = hasRegistry ? named.slice(slash + 1) : named;
  const folder = registry === usualRegistry && !path.includes("/")
    ? "library/"
    : "";
  const tag = digest === "" && !path.includes(":") ? ":latest" : "";
  return `${registry}/${folder}${path}${tag}${digest}`;
}
