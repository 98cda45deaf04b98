import assert from "node:assert/strict";
import {
  makeSchematic,
  parseSchematic,
} from "../../../workflows/upgrade/schematic.ts";

/** Ids that the image factory gives these files. */
const known: readonly (readonly [text: string, id: string])[] = [
  ["{}", "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"],
  [
    `customization: {"extraKernelArgs": [], "systemExtensions": {}}`,
    "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba",
  ],
  [
    `{"customization": {"systemExtensions": {}, "extraKernelArgs": ["noapic", "nolapic"]}}`,
    "9cba8e32753f91a16c1837ab8abf356af021706ef284aef07380780177d9a06c",
  ],
  [
    `{"customization": {"meta": [{"key": 10, "value": "foo"}]}}`,
    "d308a2a5ee2277bed5fbaa104fcbc8d59122abfa737df987a95b4ca763459a7f",
  ],
  [
    `{"overlay": {"name": "rpi_generic", "image": "siderolabs/sbc-raspberrypi"}}`,
    "ee21ef4a5ef808a9b7484cc0dda0f25075021691c8c09a276591eedb638ea1f9",
  ],
  [
    `customization: {secureboot: {includeWellKnownCertificates: true}}`,
    "fa8e05f142a851d3ee568eb0a8e5841eaf6b0ebc8df9a63df16ac5ed2c04f3e6",
  ],
  [
    `customization: {diskImage: {sectorSize: 4096}}`,
    "92833e9ddd9bb9e11b2464fa5525429f01866306d52ebd882ee08d7918f6d1ea",
  ],
  [
    `overlay: {image: i, name: o, options: {a10: 1, a2: 0.000001302}}`,
    "b8a6a0046a126f1abe3c6913795141cabf4d2154afe18f6d6be23ca8c5697772",
  ],
];

Deno.test("a schematic has the id that the factory gives it", async () => {
  for (const [text, id] of known) {
    assert.equal((await parseSchematic(text, "s.yaml")).id, id, text);
  }
});

Deno.test("a schematic of parts has the id of the file with these parts", async () => {
  const schematic = await makeSchematic({
    extensions: ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"],
    kernelArgs: ["noapic", "console=ttyS0"],
    overlay: {
      name: "rpi_generic",
      image: "siderolabs/sbc-raspberrypi",
      options: { b: 1, a: "yes" },
    },
  });
  const file = `
customization:
  systemExtensions:
    officialExtensions: [siderolabs/iscsi-tools, siderolabs/util-linux-tools]
  extraKernelArgs: [noapic, console=ttyS0]
overlay:
  options: {a: "yes", b: 1}
  image: siderolabs/sbc-raspberrypi
  name: rpi_generic
`;
  assert.deepEqual(await parseSchematic(file, "s.yaml"), schematic);
});

Deno.test("an unknown key of a schematic is refused by line and column", async () => {
  await assert.rejects(
    parseSchematic("customization:\n  systemExtension: {}\n", "s.yaml"),
    {
      name: "ConfigError",
      message:
        `Cannot use schematic "s.yaml": s.yaml:2:3: customization.systemExtension: Unknown key "systemExtension" (Did you mean "systemExtensions"?)`,
    },
  );
});
