/** The first keys of `machine`: who the node is, and whom it trusts. */

import { openText, string, words } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import {
  certificateAndKey,
  certificateOnly,
  field,
  flag,
  list,
  struct,
} from "../shapes.ts";
import {
  exampleCertificate,
  examplePair,
  exampleToken,
} from "../example_material.ts";

const controlPlane: StructShape = struct({
  controllerManager: field(
    struct({
      disabled: flag("No controller manager runs on this node"),
    }),
    "The controller manager on this node",
    { optional: true, example: { disabled: true } },
  ),
  scheduler: field(
    struct({ disabled: flag("No scheduler runs on this node") }),
    "The scheduler on this node",
    { optional: true, example: { disabled: true } },
  ),
});

/** Who the node is, and whom it trusts. */
export const identityFields: Fields = {
  type: field(
    words(["controlplane", "worker", "init"]),
    "What the node is in the cluster",
    { always: true, initial: "worker", example: "controlplane" },
  ),
  token: field(string, "Shared secret by which a worker gets its certificate", {
    always: true,
    secret: true,
    example: exampleToken,
  }),
  ca: field(
    certificateAndKey,
    "Authority of the node API; workers have no key",
    { optional: true, example: examplePair },
  ),
  acceptedCAs: field(
    list(certificateOnly),
    "Further authorities whose certificates the node API accepts",
    { example: [{ crt: exampleCertificate }] },
  ),
  certSANs: field(
    list(openText),
    "Further names and addresses in the node API's certificate",
    { always: true, example: ["192.0.2.10", "node1.example.com"] },
  ),
  controlPlane: field(
    controlPlane,
    "Which control plane components this node leaves out",
    {
      optional: true,
      example: {
        controllerManager: { disabled: true },
        scheduler: { disabled: true },
      },
    },
  ),
};
