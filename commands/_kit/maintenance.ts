/** Flags of commands that also work on nodes without a configuration. */

import { strings, toggle, type Values } from "./inputs.ts";

/** Flags for the maintenance service: encrypted, not authenticated; the session looks at both. */
export const maintenanceInputs = {
  insecure: toggle("use the maintenance service, without authentication", {
    short: "i",
    step: false,
  }),
  certFingerprint: strings(
    "accepted server certificate fingerprints, with --insecure",
    { shown: "any", step: false },
  ),
};

/** Values of {@linkcode maintenanceInputs}. */
export type MaintenanceInputs = Values<typeof maintenanceInputs>;
