/** Versions of Kubernetes in a configuration that an OS release does not support. */

import { type Cursor, toCursor } from "./documents/cursor.ts";
import {
  type ConfigDocument,
  type DocumentProblem,
  mainKind,
  within,
} from "./documents/load.ts";
import type { OsVersion } from "./documents/schema.ts";
import { kubernetesProblem } from "./kubernetes_range.ts";

/** Components with an image in the configuration: their document kind, and their section of the main document. */
export const imagePlaces = {
  "kube-apiserver": {
    kind: "KubeAPIServerConfig",
    section: ["cluster", "apiServer"],
  },
  "kube-controller-manager": {
    kind: "KubeControllerManagerConfig",
    section: ["cluster", "controllerManager"],
  },
  "kube-scheduler": {
    kind: "KubeSchedulerConfig",
    section: ["cluster", "scheduler"],
  },
  "kube-proxy": { kind: "KubeProxyConfig", section: ["cluster", "proxy"] },
  kubelet: { kind: "KubeletConfig", section: ["machine", "kubelet"] },
} as const;

/**
 * Warns about images whose Kubernetes version the release does not support.
 *
 * @param osVersion Minor version of the release.
 */
export function unsupportedKubernetes(
  documents: readonly ConfigDocument[],
  osVersion: OsVersion,
): readonly DocumentProblem[] {
  return documents.flatMap((document) =>
    imagesIn(document).flatMap((place) => {
      const [version] = /v\d+\.\d+\.\d+/.exec(place.text() ?? "") ?? [];
      const fault = version && kubernetesProblem(version, `v${osVersion}`);
      return fault ? [within(document, place.warning(fault))] : [];
    })
  );
}

function imagesIn({ kind, root }: ConfigDocument): readonly Cursor[] {
  const cursor = toCursor(root);
  return Object.values(imagePlaces).flatMap((place) =>
    kind === mainKind
      ? [cursor.get(...place.section, "image")]
      : kind === place.kind
      ? [cursor.get("image")]
      : []
  );
}
