/** Flags of commands that also work on nodes without a configuration. */

import { type Flag, strings, toggle } from "./inputs.ts";

/** Values of {@linkcode maintenanceInputs}. */
export interface MaintenanceInputs {
  /** `--insecure`. */
  readonly insecure: boolean;
  /** `--cert-fingerprint`: base64 of SHA-256 of the server's public key. */
  readonly certFingerprint: readonly string[];
}

/** Flags for the maintenance service: encrypted, not authenticated; the session looks at both. */
export const maintenanceInputs: {
  /** `--insecure`. */
  readonly insecure: Flag<boolean>;
  /** `--cert-fingerprint`. */
  readonly certFingerprint: Flag<readonly string[]>;
} = {
  insecure: toggle("use the maintenance service, without authentication", {
    short: "i",
  }),
  certFingerprint: strings(
    "accepted server certificate fingerprints, with --insecure",
    { shown: "any" },
  ),
};
