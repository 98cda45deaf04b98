import assert from "node:assert/strict";
import { withFolder } from "../../../_folder.ts";
import { file, needs, root } from "../../../_needs.ts";
import { run } from "../../../_run.ts";

const refusals: readonly (readonly [string, string])[] = [
  [
    "--presets iso,pxe",
    "Invalid value for --presets: must have exactly one of iso, iso-secureboot, pxe, disk-image",
  ],
  [
    "--presets maintenance",
    "Invalid value for --presets: must have exactly one of iso, iso-secureboot, pxe, disk-image",
  ],
  [
    "--presets usb",
    'Invalid value "usb" for --presets: must be one or more of iso, iso-secureboot, pxe, disk-image, maintenance',
  ],
  [
    "--disks virtio",
    'Invalid value "virtio" for --disks: must be <driver>:<size>, such as virtio:10GB',
  ],
  [
    "--disks floppy:1MB",
    'Invalid value "floppy" for --disks: must be one of virtio, ide, ahci, scsi, nvme, megaraid',
  ],
  [
    "--image-factory-url factory",
    'Invalid value "factory" for --image-factory-url: must be a URL such as https://',
  ],
  [
    "--os-version v1.12",
    'Invalid value "v1.12" for --os-version: must be a release such as v1.12.',
  ],
];

Deno.test("cluster create qemu refuses what is wrong by name", async () => {
  for (const [words, message] of refusals) {
    const { err, status } = await run(`cluster create qemu ${words}`);
    assert.ok(err.startsWith(`error: ${message}`), err);
    assert.equal(status, 2, words);
  }
});

Deno.test("cluster create qemu downloads nothing where VMs cannot run", async () => {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      asked.push(new URL(request.url).pathname);
      return new Response("", { status: 404 });
    },
  );
  try {
    await withFolder({}, async (home) => {
      const url = `http://127.0.0.1:${server.addr.port}/`;
      const { err, status } = await run(
        `cluster create qemu --os-version v1.12.7 --image-factory-url ${url} --cidr 127.0.0.0/24`,
        {},
        { env: { HOME: home } },
      );
      assert.match(
        err,
        /subnet 127\.0\.0\.0\/24 overlaps with 127\.0\.0\.1\/8/,
      );
      assert.equal(status, 1);
      assert.deepEqual(await Array.fromAsync(Deno.readDir(home)), []);
    });
    assert.deepEqual(asked, []);
  } finally {
    await server.shutdown();
  }
});

const vmNeeds = needs(
  root,
  "qemu-system-x86_64",
  "ip",
  "nft",
  "zstd",
  file("UEFI firmware", "/usr/share/OVMF/OVMF_CODE_4M.fd", "ovmf"),
);

Deno.test(
  "cluster create qemu downloads what a preset boots from the image factory",
  vmNeeds,
  async () => {
    const asked: string[] = [];
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      (request) => {
        asked.push(new URL(request.url).pathname);
        logins.add(request.headers.get("authorization"));
        return new Response("", { status: 404 });
      },
    );
    const logins = new Set<string | null>();
    const url = `http://127.0.0.1:${server.addr.port}/factory/`;
    const line =
      "cluster create qemu --os-version v1.6.7 --arch amd64 --schematic-id abc";
    try {
      await withFolder({}, async (home) => {
        for (
          const preset of ["iso", "iso-secureboot", "disk-image,maintenance"]
        ) {
          const { err, status } = await run(
            `${line} --image-factory-url ${url} --presets ${preset} --image-factory-auth me:my:word`,
            {},
            { env: { HOME: home } },
          );
          assert.match(
            err,
            /error: Cannot download .*: the server answered 404/,
          );
          assert.equal(status, 1);
        }
        // Scripts are loaded by the machines themselves; this one has no room for them.
        const { err } = await run(
          `${line} --image-factory-url ${url} --presets pxe --cidr 10.5.0.0/30`,
          {},
          { env: { HOME: home } },
        );
        assert.match(err, /it has no room for 2 nodes/);
      });
      // Base64 of me:my:word.
      assert.deepEqual([...logins], ["Basic bWU6bXk6d29yZA=="]);
      assert.deepEqual(asked.filter((path) => !path.endsWith(".sha256")), [
        "/factory/image/abc/v1.6.7/metal-amd64.iso",
        "/factory/image/abc/v1.6.7/metal-amd64-secureboot.iso",
        "/factory/image/abc/v1.6.7/metal-amd64.raw.zst",
      ]);
    } finally {
      await server.shutdown();
    }
  },
);
