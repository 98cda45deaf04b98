/** Volumes that were there before. */

import { boolean, expression, openText } from "../scalars/scalars.ts";
import type { DocumentKind } from "../schema.ts";
import { struct } from "../shapes.ts";
import { volumeNameRules } from "./volume_name.ts";

/** `ExistingVolumeConfig`. */
export const existingVolume: DocumentKind = {
  kind: "ExistingVolumeConfig",
  summary: "A volume that exists already, mounted below /var/mnt",
  named: true,
  since: "1.11",
  group: "volumes",
  fields: {
    name: {
      shape: openText,
      always: true,
      summary: "Name of the folder it is mounted at",
      examples: [{ value: "archive" }],
    },
    discovery: {
      shape: struct({
        volumeSelector: {
          shape: struct({
            match: {
              shape: expression("volume"),
              required: true,
              merge: "overwrite",
              summary: "CEL expression that is true for it, called `volume`",
              examples: [{ value: 'volume.partition_label == "ARCHIVE"' }],
            },
          }),
          required: true,
          summary: "Which volume is meant",
        },
      }),
      required: true,
      summary: "How the volume is found",
    },
    mount: {
      shape: struct({
        readOnly: {
          shape: boolean,
          optional: true,
          summary: "Whether it is mounted for reading only",
          initial: "false",
        },
      }),
      summary: "How the volume is mounted",
    },
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
