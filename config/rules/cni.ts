/** `cluster.network.cni`; only control planes look at it. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { endpointFault } from "./checks.ts";
import { roleOf } from "./machine_type.ts";
import { isGiven, oneOf, textOf, textsOf } from "./texts.ts";

const names = ["flannel", "custom", "none"];

/** The pod network is known, and only what belongs to it is given. */
export function* cniRules(root: Cursor): Iterable<Problem> {
  const cni = root.get("cluster", "network", "cni");
  if (roleOf(root) !== "controlplane" || !isGiven(cni)) return;
  const name = textOf(cni.get("name"));
  if (!names.includes(name)) {
    yield cni.get("name").error(
      name === ""
        ? "The pod network has no name"
        : `Pod network "${name}" does not exist`,
      `Write ${oneOf(names)}`,
    );
    return;
  }
  yield* flannelRules(cni, name);
  yield* name === "custom" ? customUrls(cni) : foreignUrls(cni, name);
}

function* flannelRules(cni: Cursor, name: string): Iterable<Problem> {
  const given = cni.get("flannel", "extraArgs");
  if (name === "flannel" || textsOf(given).length === 0) return;
  yield given.error(
    `Arguments of flannel are given for pod network "${name}"`,
    'Remove them, or set the name to "flannel"',
  );
}

function* foreignUrls(cni: Cursor, name: string): Iterable<Problem> {
  const urls = cni.get("urls");
  if (textsOf(urls).length === 0) return;
  yield urls.error(
    `Manifests are given for pod network "${name}", which has none of its own`,
    'Remove them, or set the name to "custom"',
  );
}

function* customUrls(cni: Cursor): Iterable<Problem> {
  const urls = textsOf(cni.get("urls"));
  if (urls.length === 0) {
    yield cni.get("urls").warning(
      'Pod network "custom" has no manifests',
      'Give their URLs, or set the name to "none"',
    );
  }
  for (const [place, url] of urls) {
    const fault = endpointFault(url);
    if (fault === undefined) continue;
    yield place.error(
      `Manifest URL "${url}" ${fault}`,
      "Write a URL such as https://example.com/cni.yaml",
    );
  }
}
