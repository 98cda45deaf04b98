import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import { parseSize } from "../scalars/size.ts";
import { documentKind, fieldTable } from "../table.ts";

const arrayProvisioning = fieldTable`
provisioning     | struct, always, required | Provisioning settings
  volumeSelector | struct, required | Selects its disks and partitions
    match        | cel(volume), required, overwrite | CEL expression that selects them; variables: \`volume\`, and \`disk\` for whole disks
      = "!disk.rotational"
`;

export const lvmVolumeGroup = documentKind((document) =>
  nameRules(document, 63)
)`
LVMVolumeGroupConfig | named, since 1.14 | An LVM volume group
  = {"name": "vg-data", "provisioning": {"volumeSelector": {"match": "disk.transport == \"nvme\""}}}
  name | text, always | Name of the volume group | "vg-data"
  ...${arrayProvisioning}
`;

export const lvmLogicalVolume = documentKind(logicalVolumeRules)`
LVMLogicalVolumeConfig | named, since 1.14 | An LVM logical volume
  = {"name": "lv-data", "type": "raid1", "mirrors": 1, "provisioning": {"volumeGroup": "vg-data",
    "maxSize": "80%"}}
  name          | text, always | Name of the volume | "lv-data"
  type          | choice(linear raid1 raid0 raid10), always | Layout | "raid1"
  mirrors       | u32, optional, default 1 | Number of mirror copies, for raid1 and raid10 | 1
  stripes       | u32, optional, default all disks | Number of stripes, for raid0 and raid10 | 2
  provisioning  | struct, always, required | Provisioning settings
    volumeGroup | text, always, required | Name of the volume group | "vg-data"
    minSize     | byteSize, overwrite | Minimum size | "10GiB"
    maxSize     | sizeOrPercent | Maximum size | "80%"
`;

export const raidArray = documentKind((document) => nameRules(document, 32))`
RAIDArrayConfig | named, since 1.14 | An MD RAID array
  = {"name": "md-data", "level": "raid1", "metadata": "1.2",
    "provisioning": {"volumeSelector": {"match": "volume.partition_label == \"r-mirror\""}}}
  name     | text, always | Name of the array | "md-data"
  level    | choice(raid1), always | RAID level | "raid1"
  metadata | exact(1.0 1.2), default 1.0 | MD metadata format; 1.0 is bootable | "1.2"
  ...${arrayProvisioning}
`;

function* nameRules(document: Cursor, longest: number): Iterable<Problem> {
  const given = document.get("name");
  const text = given.text() ?? "";
  if (text.length > longest || /[^A-Za-z0-9_-]/u.test(text)) {
    yield given.error(
      `Name "${text}" is not valid`,
      `Use at most ${longest} letters, digits, hyphens and underscores`,
    );
  }
}

function* logicalVolumeRules(document: Cursor): Iterable<Problem> {
  yield* nameRules(document, 63);
  const type = (document.get("type").text() || "linear").toLowerCase();
  const uses = {
    mirrors: { types: ["raid1", "raid10"], least: 1 },
    stripes: { types: ["raid0", "raid10"], least: 2 },
  };
  for (const [key, { types, least }] of Object.entries(uses)) {
    const given = document.get(key);
    if (given.node === undefined) continue;
    if (!types.includes(type)) {
      yield given.error(
        `"${key}" cannot be used with type "${type}"`,
        `Remove it, or choose ${types.join(" or ")}`,
      );
    } else if ((given.number() ?? least) < least) {
      yield given.error(
        `"${key}" is ${given.text()}`,
        `Write at least ${least}`,
      );
    }
  }
  const { text: most = "", place } = textAt(document, "maxSize");
  if (most === "" || most === "0" || most.startsWith("-")) {
    yield place.error(
      most === "" ? '"maxSize" is missing' : `Size "${most}" is zero`,
      "Give a size such as 100GiB or 80%",
    );
  }
  const least = textAt(document, "minSize");
  const [low, high] = [least.text ?? "", most].map(parseSize);
  if (low !== undefined && high !== undefined && low > high) {
    yield least.place.error(
      `Minimum size "${least.text}" is greater than the maximum size "${most}"`,
      "Lower minSize or raise maxSize",
    );
  }
}

function textAt(document: Cursor, key: string) {
  const place = document.get("provisioning", key);
  return { place, text: place.text() };
}
