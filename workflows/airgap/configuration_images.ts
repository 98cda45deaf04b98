import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { findInstaller } from "../../config/documents/find_value.ts";
import { type ConfigDocument, mainKind } from "../../config/documents/load.ts";
import { findRelease, type ReleaseDefaults } from "../../config/releases.ts";
import { readDocuments } from "../../config/tree/read.ts";
import { withV } from "../../lib/version.ts";
import { ConfigError } from "../../errors.ts";
import {
  type ComponentName,
  configuredImage,
  keep,
  targetImage,
} from "../kubernetes/components.ts";
import { parseInstaller } from "../upgrade/installer_reference.ts";
import type { NeededImage, Needs } from "./closure.ts";

/** A configuration and the facts of its node. */
interface Subject {
  readonly documents: readonly ConfigDocument[];
  /** Finds the document of a kind. */
  readonly of: (kind: string) => Cursor | undefined;
  readonly name: string;
  /** Release of the node; empty if unknown. */
  readonly release: string;
  readonly bundle: ReleaseDefaults;
}

interface ConfiguredImage extends NeededImage {
  /** User of the image: a Kubernetes component, `etcd`, `flannel`; otherwise the field that names it. */
  readonly part: string;
  /** Release whose default it is: `default of v1.13.9`; empty when the configuration names it. */
  readonly origin: string;
}

interface ConfigurationNeeds extends Needs {
  /** Images; may contain duplicates. */
  readonly images: readonly ConfiguredImage[];
}

/** An image, or a note about images that cannot be determined. */
type Found = ConfiguredImage | { readonly note: string };

/**
 * Finds the images a configuration needs: those it names and the defaults of its release.
 *
 * @param documents The configuration.
 * @param name Its file or node.
 * @param release OS release; default that of its installer image.
 */
export function configurationNeeds(
  documents: readonly ConfigDocument[],
  name: string,
  release?: string,
): ConfigurationNeeds {
  const own = release ?? configuredRelease(documents) ?? "";
  const subject = {
    documents,
    of: toSubject(documents),
    name,
    release: own === "" ? own : withV(own),
    bundle: findRelease(own),
  };
  const type = subject.of(mainKind)?.get("machine", "type").text();
  const found = [
    ...systemImages(subject),
    ...podImages(subject),
    // A partial configuration counts as a worker's.
    ...type === "controlplane" || type === "init"
      ? controlPlaneImages(subject)
      : [],
  ];
  return {
    images: found.flatMap((one) => "image" in one ? [one] : []),
    notes: found.flatMap((one) => "note" in one ? [one.note] : []),
  };
}

/** OS release a configuration installs; `undefined` when its installer image names none. */
function configuredRelease(
  documents: readonly ConfigDocument[],
): string | undefined {
  return parseInstaller(findInstaller(documents) ?? "").version;
}

function installerPlace(of: Subject["of"]): Cursor | undefined {
  return of("UnattendedInstallConfig")?.get("installer", "image") ??
    of(mainKind)?.get("machine", "install", "image");
}

function toSubject(documents: readonly ConfigDocument[]): Subject["of"] {
  return (kind) => {
    const found = documents.find((document) => document.kind === kind);
    return found && toCursor(found.root);
  };
}

/** Images of every node: installer, extensions, containers, kubelet and pause. */
function* systemImages(subject: Subject): Generator<Found> {
  const { of, documents, bundle } = subject;
  const main = of(mainKind);
  yield* findImages(subject, installerPlace(of));
  const extensions = main?.get("machine", "install", "extensions").items();
  for (const one of extensions ?? []) {
    yield* findImages(subject, one.get("image"));
  }
  for (const { kind, name, root } of documents) {
    if (kind !== "ContainerConfig") continue;
    yield* findImages(subject, toCursor(root).get("image"), `${kind}/${name}`);
  }
  // A file without the main document does not configure Kubernetes.
  if (main?.get("machine").node === undefined) return;
  yield component(subject, "kubelet");
  yield bundledImage(subject, "pod sandboxes", bundle.pause);
}

function* podImages(subject: Subject): Generator<Found> {
  const { of, documents } = subject;
  for (const pod of of(mainKind)?.get("machine", "pods").items() ?? []) {
    yield* containers(subject, pod, formatPath(pod));
  }
  for (const { kind, root, name } of documents) {
    if (kind !== "KubeStaticPodConfig") continue;
    yield* containers(subject, toCursor(root).get("pod"), `${kind}/${name}`);
  }
}

/** Images of control planes and of the manifests they apply. */
function* controlPlaneImages(subject: Subject): Generator<Found> {
  const { of, bundle } = subject;
  const cluster = of(mainKind)?.get("cluster");
  yield component(subject, "kube-apiserver");
  yield component(subject, "kube-controller-manager");
  yield component(subject, "kube-scheduler");
  if (!isOff(subject, "KubeProxyConfig", "proxy")) {
    yield component(subject, "kube-proxy");
  }
  yield orBundled(subject, "etcd", cluster?.get("etcd", "image"), bundle.etcd);
  if (!isOff(subject, "KubeCoreDNSConfig", "coreDNS")) {
    const own = of("KubeCoreDNSConfig")?.get("image");
    const place = own?.text() ? own : cluster?.get("coreDNS", "image");
    yield orBundled(subject, "CoreDNS", place, bundle.coreDns);
  }
  yield* network(subject);
  yield* manifests(subject);
}

function* network(subject: Subject): Generator<Found> {
  const { of, documents, bundle } = subject;
  const own = of("KubeFlannelCNIConfig");
  const cni = of(mainKind)?.get("cluster", "network", "cni");
  // A configuration with separate network documents has a separate flannel document, too.
  const isSplit = documents.some(({ kind }) => kind === "KubeNetworkConfig");
  const usual = own === undefined && isSplit ? "none" : "flannel";
  const name = cni?.get("name").text() ?? usual;
  if (name === "flannel") {
    yield bundledImage(subject, "flannel", bundle.flannel);
    const policies = own?.get("kubeNetworkPoliciesEnabled") ??
      cni?.get("flannel", "kubeNetworkPoliciesEnabled");
    const { networkPolicies } = bundle;
    if (policies?.truth() && networkPolicies !== undefined) {
      yield bundledImage(subject, "network policies", networkPolicies);
    }
  }
  if (name !== "custom") return;
  for (const url of cni?.get("urls").items() ?? []) yield* unread(subject, url);
}

function* manifests(subject: Subject): Generator<Found> {
  const { of, documents } = subject;
  const cluster = of(mainKind)?.get("cluster");
  for (const one of cluster?.get("inlineManifests").items() ?? []) {
    const contents = one.get("contents");
    yield* manifest(subject, contents, formatPath(contents));
  }
  const urls = [
    ...cluster?.get("extraManifests").items() ?? [],
    ...cluster?.get("externalCloudProvider", "manifests").items() ?? [],
  ];
  for (const url of urls) yield* unread(subject, url);
  for (const { kind, root, name } of documents) {
    const document = toCursor(root);
    const place = `${kind}/${name}`;
    if (kind === "KubeInlineManifestConfig") {
      yield* manifest(subject, document.get("manifest"), place);
    }
    if (kind === "KubeExternalManifestConfig") {
      yield* unread(subject, document.get("url"), place);
    }
  }
}

function* manifest(
  subject: Subject,
  contents: Cursor,
  place: string,
): Generator<Found> {
  try {
    const { documents } = readDocuments(contents.text() ?? "", place);
    for (const { root } of documents) {
      yield* containers(subject, toCursor(root), place);
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const note =
      `${subject.name}: ${place} is not YAML; its images are not listed`;
    yield { note };
  }
}

/** Finds container lists at any depth: every kind that creates pods has one. */
function* containers(
  subject: Subject,
  object: Cursor,
  place: string,
): Generator<Found> {
  for (const [key, value] of object.entries()) {
    const isList = /^(?:containers|(?:init|ephemeral)Containers)$/.test(key);
    for (const one of isList ? value.items() : []) {
      const image = one.get("image").text();
      if (image) yield toConfiguredImage(subject, place, image);
    }
    if (!isList) yield* containers(subject, value, place);
  }
  for (const item of object.items()) {
    yield* containers(subject, item, place);
  }
}

function component(
  subject: Subject,
  name: ComponentName,
): ConfiguredImage {
  const image = configuredImage(subject.documents, name);
  if (image !== "") return toConfiguredImage(subject, name, image);
  const version = subject.bundle.kubernetes;
  const usual = targetImage(name, "", { repository: keep, version });
  return bundledImage(subject, name, usual);
}

function orBundled(
  subject: Subject,
  what: string,
  place: Cursor | undefined,
  usual: string,
): ConfiguredImage {
  const image = place?.text();
  return image
    ? toConfiguredImage(subject, what, image)
    : bundledImage(subject, what, usual);
}

function toConfiguredImage(
  { name }: Subject,
  part: string,
  image: string,
): ConfiguredImage {
  return { image, source: `${name}: ${part}`, part, origin: "" };
}

function bundledImage(
  { name, release, bundle: { tag } }: Subject,
  part: string,
  image: string,
): ConfiguredImage {
  const origin = release === tag || release === ""
    ? `default of ${tag}`
    : `default of ${release}, taken from ${tag}`;
  return { image, source: `${name}: ${part} (${origin})`, part, origin };
}

function isOff({ of }: Subject, kind: string, section: string): boolean {
  const own = of(kind);
  return own === undefined
    ? of(mainKind)?.get("cluster", section, "disabled").truth() === true
    : own.get("enabled").truth() === false;
}

function* findImages(
  subject: Subject,
  place: Cursor | undefined,
  within?: string,
): Generator<Found> {
  const image = place?.text();
  if (!image || place === undefined) return;
  yield toConfiguredImage(subject, within ?? formatPath(place), image);
}

function* unread(
  { name }: Subject,
  url: Cursor,
  within: string = formatPath(url),
): Generator<Found> {
  const text = url.text();
  if (!text) return;
  const note = `${name}: ${within} is a URL (${
    withoutSecrets(text)
  }); the images in its manifests are not listed`;
  yield { note };
}

/** Removes user and query from a URL: they may be credentials. */
function withoutSecrets(text: string): string {
  const { protocol, host, pathname } = URL.parse(text) ?? {};
  return host ? `${protocol}//${host}${pathname}` : "not a valid one";
}

function formatPath({ path }: Cursor): string {
  return path.join(".").replaceAll(/\.(\d+)/g, "[$1]");
}
