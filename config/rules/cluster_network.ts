/** `cluster.network`, manifests and the cloud provider. */

import { isDnsName } from "../documents/checks.ts";
import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { endpointFault } from "./checks.ts";
import { isGiven, textOf, textsOf } from "./texts.ts";

/** The domain of services is a name of the DNS. */
export function* dnsDomainRules(root: Cursor): Iterable<Problem> {
  const domain = root.get("cluster", "network", "dnsDomain");
  const text = textOf(domain);
  if (text === "" || isDnsName(text)) return;
  yield domain.error(
    `"${text}" is not a DNS name`,
    "Write a name such as cluster.local",
  );
}

/** Manifests of a cloud provider need one that is enabled. */
export function* cloudProviderRules(root: Cursor): Iterable<Problem> {
  const provider = root.get("cluster", "externalCloudProvider");
  const manifests = textsOf(provider.get("manifests"));
  if (manifests.length > 0 && provider.get("enabled").truth() !== true) {
    yield provider.get("manifests").error(
      "Manifests of a cloud provider are given, but none is enabled",
      "Set cluster.externalCloudProvider.enabled to true, or remove them",
    );
  }
  for (const [place, url] of manifests) {
    const fault = endpointFault(url);
    if (fault === undefined) continue;
    yield place.error(
      `Manifest URL "${url}" ${fault}`,
      "Write a URL such as https://example.com/provider.yaml",
    );
  }
}

/** Every inline manifest has a name of its own. */
export function* inlineManifestRules(root: Cursor): Iterable<Problem> {
  const seen = new Set<string>();
  const manifests = root.get("cluster", "inlineManifests").items();
  for (const manifest of manifests.filter(isGiven)) {
    const place = manifest.get("name");
    const name = textOf(place);
    if (name.trim() === "") {
      yield place.error(
        name === ""
          ? '"name" is missing'
          : `"${name}" is no name of an inline manifest`,
        "Give it one that no other inline manifest has",
      );
    } else if (seen.has(name)) {
      yield place.error(
        `Two inline manifests are named "${name}"`,
        "Rename one of them",
      );
    }
    seen.add(name);
  }
}
