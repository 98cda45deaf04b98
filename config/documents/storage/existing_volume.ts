import { maintenance, maintenanceRules } from "./maintenance.ts";
import { volumeNameRules } from "./provisioning.ts";
import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { documentKind } from "../table.ts";

export const existingVolume = documentKind(existingVolumeRules)`
ExistingVolumeConfig | named, since 1.11, group volumes | An existing volume, mounted at /var/mnt/<name>
  = {"name": "archive",
    "discovery": {"volumeSelector": {"match": "volume.partition_label == \"ARCHIVE\" && !disk.rotational"}},
    "mount": {"readOnly": true}}
  name                | text, always | Name of the volume and its mount point | "archive"
  discovery           | struct, required | How to find the volume
    volumeSelector    | struct, required | Selects the volume
      match           | cel(volume), required, overwrite | CEL expression that matches the volume; the variable is \`volume\`
        = "volume.partition_label == \"ARCHIVE\""
  mount               | struct | Mount options
    readOnly          | boolean, optional, default false | Whether to mount the volume read-only
    disableAccessTime | boolean, optional, default false, since 1.13 | Disables access time updates
    secure            | boolean, optional, default true, since 1.13 | Mounts with nosuid, nodev and noexec
  ...${maintenance}
`;

function* existingVolumeRules(document: Cursor): Iterable<Problem> {
  yield* volumeNameRules(document);
  yield* maintenanceRules(document);
}
