/** The first keys of `machine`: who the node is, and whom it trusts. */

import { openText, string, words } from "../scalars/scalars.ts";
import type { Fields, StructShape } from "../schema.ts";
import { certificateAndKey, certificateOnly, list, struct } from "../shapes.ts";
import {
  exampleCertificate,
  examplePair,
  exampleToken,
} from "./example_material.ts";
import { flag } from "./flag.ts";

const controlPlane: StructShape = struct({
  controllerManager: {
    shape: struct({
      disabled: flag("No controller manager runs on this node"),
    }),
    optional: true,
    summary: "The controller manager on this node",
    examples: [{ value: { disabled: true } }],
  },
  scheduler: {
    shape: struct({ disabled: flag("No scheduler runs on this node") }),
    optional: true,
    summary: "The scheduler on this node",
    examples: [{ value: { disabled: true } }],
  },
});

/** Who the node is, and whom it trusts. */
export const identityFields: Fields = {
  type: {
    shape: words(["controlplane", "worker", "init"]),
    always: true,
    summary: "What the node is in the cluster",
    initial: "worker",
    examples: [{ value: "controlplane" }],
  },
  token: {
    shape: string,
    always: true,
    secret: true,
    summary: "Shared secret by which a worker gets its certificate",
    examples: [{ value: exampleToken }],
  },
  ca: {
    shape: certificateAndKey,
    optional: true,
    summary: "Authority of the node API; workers have no key",
    examples: [{ value: examplePair }],
  },
  acceptedCAs: {
    shape: list(certificateOnly),
    summary: "Further authorities whose certificates the node API accepts",
    examples: [{ value: [{ crt: exampleCertificate }] }],
  },
  certSANs: {
    shape: list(openText),
    always: true,
    summary: "Further names and addresses in the node API's certificate",
    examples: [{ value: ["192.0.2.10", "node1.example.com"] }],
  },
  controlPlane: {
    shape: controlPlane,
    optional: true,
    summary: "Which control plane components this node leaves out",
    examples: [{
      value: {
        controllerManager: { disabled: true },
        scheduler: { disabled: true },
      },
    }],
  },
};
