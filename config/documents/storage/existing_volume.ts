/** Volumes that were there before. */

import { boolean, expression } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { field, nameField, struct } from "../shapes.ts";
import { volumeNameRules } from "./provisioning.ts";

/** `ExistingVolumeConfig`. */
export const existingVolume: DocumentKind = {
  kind: "ExistingVolumeConfig",
  summary: "A volume that exists already, mounted below /var/mnt",
  named: true,
  since: "1.11",
  group: "volumes",
  fields: {
    name: nameField("Name of the folder it is mounted at", "archive"),
    discovery: field(
      struct({
        volumeSelector: field(
          struct({
            match: field(
              expression("volume"),
              "CEL expression that is true for it, called `volume`",
              {
                required: true,
                merge: "overwrite",
                example: 'volume.partition_label == "ARCHIVE"',
              },
            ),
          }),
          "Which volume is meant",
          { required: true },
        ),
      }),
      "How the volume is found",
      { required: true },
    ),
    mount: field(
      struct({
        readOnly: field(boolean, "Whether it is mounted for reading only", {
          optional: true,
          initial: "false",
        }),
      }),
      "How the volume is mounted",
    ),
  },
  examples: [{
    value: {
      name: "archive",
      discovery: {
        volumeSelector: {
          match: 'volume.partition_label == "ARCHIVE" && !disk.rotational',
        },
      },
      mount: { readOnly: true },
    },
  }],
  rules: volumeNameRules,
};
