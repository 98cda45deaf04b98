import type { Cursor } from "../cursor.ts";
import type { Problem } from "../problem.ts";
import {
  byteSize,
  choice,
  expression,
  openText,
  sizeOrPercent,
  u32,
} from "../scalars/scalars.ts";
import { sizeOf } from "../scalars/size.ts";
import type { DocumentKind, Field } from "../schema.ts";
import { field, nameField, struct } from "../shapes.ts";

function selector(summary: string): Field {
  return field(
    struct({
      volumeSelector: field(
        struct({
          match: field(
            expression("volume"),
            "CEL expression that selects them; variables: `volume`, and `disk` for whole disks",
            { required: true, merge: "overwrite", example: "!disk.rotational" },
          ),
        }),
        summary,
        { required: true },
      ),
    }),
    "Provisioning settings",
    { always: true, required: true },
  );
}

/** `LVMVolumeGroupConfig`. */
export const lvmVolumeGroup: DocumentKind = {
  kind: "LVMVolumeGroupConfig",
  summary: "An LVM volume group",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the volume group", "vg-data"),
    provisioning: selector("Selects its disks and partitions"),
  },
  examples: [{
    value: {
      name: "vg-data",
      provisioning: {
        volumeSelector: { match: 'disk.transport == "nvme"' },
      },
    },
  }],
  rules: (document) => nameRules(document, 63),
};

/** `LVMLogicalVolumeConfig`. */
export const lvmLogicalVolume: DocumentKind = {
  kind: "LVMLogicalVolumeConfig",
  summary: "An LVM logical volume",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the volume", "lv-data"),
    type: field(
      choice(["linear", "raid1", "raid0", "raid10"], { insensitive: true }),
      "Layout",
      { always: true, example: "raid1" },
    ),
    mirrors: field(u32, "Number of mirror copies, for raid1 and raid10", {
      optional: true,
      initial: "1",
      example: 1,
    }),
    stripes: field(u32, "Number of stripes, for raid0 and raid10", {
      optional: true,
      initial: "all disks",
      example: 2,
    }),
    provisioning: field(
      struct({
        volumeGroup: field(openText, "Name of the volume group", {
          always: true,
          required: true,
          example: "vg-data",
        }),
        minSize: field(byteSize, "Minimum size", {
          merge: "overwrite",
          example: "10GiB",
        }),
        maxSize: field(sizeOrPercent, "Maximum size", {
          example: "80%",
        }),
      }),
      "Provisioning settings",
      { always: true, required: true },
    ),
  },
  examples: [{
    value: {
      name: "lv-data",
      type: "raid1",
      mirrors: 1,
      provisioning: { volumeGroup: "vg-data", maxSize: "80%" },
    },
  }],
  rules: logicalVolumeRules,
};

/** `RAIDArrayConfig`. */
export const raidArray: DocumentKind = {
  kind: "RAIDArrayConfig",
  summary: "An MD RAID array",
  named: true,
  since: "1.14",
  fields: {
    name: nameField("Name of the array", "md-data"),
    level: field(
      choice(["raid1"], { insensitive: true }),
      "RAID level",
      {
        always: true,
        example: "raid1",
      },
    ),
    metadata: field(
      choice(["1.0", "1.2"]),
      "MD metadata format; 1.0 is bootable",
      { initial: "1.0", example: "1.2" },
    ),
    provisioning: {
      ...selector("Selects its disks and partitions"),
    },
  },
  examples: [{
    value: {
      name: "md-data",
      level: "raid1",
      metadata: "1.2",
      provisioning: {
        volumeSelector: { match: 'volume.partition_label == "r-mirror"' },
      },
    },
  }],
  rules: (document) => nameRules(document, 32),
};

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
  const [low, high] = [least.text ?? "", most].map(sizeOf);
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
