/** Rules for the main document beyond the shapes of its fields. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import {
  caRules,
  cloudProviderRules,
  cniRules,
  controlPlaneEndpointRules,
  dnsDomainRules,
  inlineManifestRules,
} from "./cluster.ts";
import type { RuleContext } from "./context.ts";
import {
  authorizationRules,
  componentImageRules,
  etcdRules,
  resourceRules,
} from "./control_plane.ts";
import { discoveryRules, kubespanRules } from "./discovery.ts";
import {
  diskEncryptionRules,
  diskRules,
  featureRules,
  kubeletRules,
  loggingRules,
  registryRules,
} from "./machine.ts";
import { installRules } from "./install.ts";
import { labelRules } from "./labels.ts";
import { interfaceRules } from "./network_interfaces.ts";
import { runtimeSpecRules } from "./process_settings.ts";
import { isGiven, isSplit, machineTypeRules } from "./checks.ts";

export { crossDocumentRules } from "./cross_document.ts";
export type { RuleContext, RuleDocument, RuntimeMode } from "./context.ts";

/** In field order. */
const areas: readonly ((
  root: Cursor,
  context: RuleContext,
) => Iterable<Problem>)[] = [
  persistRules,
  machineTypeRules,
  caRules,
  kubeletRules,
  interfaceRules,
  kubespanRules,
  diskRules,
  installRules,
  deprecationRules,
  registryRules,
  diskEncryptionRules,
  featureRules,
  loggingRules,
  runtimeSpecRules,
  labelRules,
  controlPlaneEndpointRules,
  dnsDomainRules,
  cniRules,
  componentImageRules,
  authorizationRules,
  resourceRules,
  discoveryRules,
  etcdRules,
  cloudProviderRules,
  inlineManifestRules,
];

/**
 * Checks the main document.
 *
 * @param root Root of the document; shapes are valid.
 * @returns Problems in field order.
 */
export function* v1alpha1Rules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  const machine = root.get("machine");
  if (!isGiven(machine)) {
    yield machine.error(
      '"machine" is missing',
      "Give at least machine.type and machine.ca",
    );
    return;
  }
  for (const rules of areas) yield* rules(root, context);
}

function* persistRules(root: Cursor): Iterable<Problem> {
  const persist = root.get("persist");
  if (persist.truth() !== false) return;
  yield persist.error(
    "persist is false, but nodes always keep their configuration",
    "Remove it, or set it to true",
  );
}

/** Fields that v1.14 warns about, and their replacements. */
const deprecated: Readonly<Record<string, string>> = {
  files: "Use documents such as CRICustomizationConfig and EtcFileConfig",
  baseRuntimeSpecOverrides: "Use a CRIBaseRuntimeSpecConfig document",
};

function* deprecationRules(
  root: Cursor,
  context: RuleContext,
): Iterable<Problem> {
  if (!isSplit(context)) return;
  for (const [key, instead] of Object.entries(deprecated)) {
    const place = root.get("machine", key);
    if (place.elements().length + place.entries().length === 0) continue;
    yield place.warning(`machine.${key} is deprecated`, instead);
  }
}
