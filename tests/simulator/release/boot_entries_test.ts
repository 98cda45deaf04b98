import assert from "node:assert/strict";
import {
  type BootEntries,
  chooseOther,
  firstEntry,
  install,
  installerImage,
  startChosen,
} from "../../../simulator/release/boot_entries.ts";

const schematic = "ab".repeat(32);

function names({ installed }: BootEntries): readonly string[] {
  return installed.map(({ name }) => name);
}

Deno.test("the first entry is the only one, and runs", () => {
  assert.deepEqual(firstEntry({ tag: "v1.12.11", schematic }), {
    installed: [{ name: "Talos-v1.12.11.efi", tag: "v1.12.11", schematic }],
    chosen: "Talos-v1.12.11.efi",
    running: { name: "Talos-v1.12.11.efi", tag: "v1.12.11", schematic },
  });
});

Deno.test("an installation keeps what runs to go back to, and is started next", () => {
  const before = firstEntry({ tag: "v1.12.11" });
  const { entries, previous, removed } = install(before, { tag: "v1.13.0" });
  assert.deepEqual([previous, removed], ["Talos-v1.12.11.efi", []]);
  assert.deepEqual(names(entries), [
    "Talos-v1.12.11.efi",
    "Talos-v1.13.0.efi",
  ]);
  assert.equal(entries.chosen, "Talos-v1.13.0.efi");
  assert.equal(entries.running.tag, "v1.12.11");
  assert.equal(startChosen(entries).running.tag, "v1.13.0");
});

Deno.test("an installation behind a boot removes the oldest", () => {
  const first = install(firstEntry({ tag: "v1.11.5" }), { tag: "v1.12.11" });
  const second = install(startChosen(first.entries), { tag: "v1.13.0" });
  assert.deepEqual(second.removed, ["Talos-v1.11.5.efi"]);
  assert.deepEqual(names(second.entries), [
    "Talos-v1.12.11.efi",
    "Talos-v1.13.0.efi",
  ]);
});

Deno.test("a second installation in one boot removes the image that runs", () => {
  const first = install(firstEntry({ tag: "v1.12.11" }), { tag: "v1.13.0" });
  const second = install(first.entries, { tag: "v1.13.0" });
  assert.deepEqual(second.removed, ["Talos-v1.12.11.efi"]);
  assert.deepEqual(names(second.entries), [
    "Talos-v1.13.0.efi",
    "Talos-v1.13.0~1.efi",
  ]);
  assert.equal(second.entries.chosen, "Talos-v1.13.0~1.efi");
  assert.equal(second.entries.running.name, "Talos-v1.12.11.efi");
  assert.equal(second.previous, "Talos-v1.13.0.efi");
});

Deno.test("the same version again has a number", () => {
  const first = firstEntry({ tag: "v1.12.11" });
  const { entries } = install(first, { tag: "v1.12.11" });
  assert.equal(entries.chosen, "Talos-v1.12.11~1.efi");
  const again = install(startChosen(entries), { tag: "v1.12.11" });
  assert.equal(again.entries.chosen, "Talos-v1.12.11~2.efi");
});

Deno.test("going back chooses the other entry, if there is one", () => {
  const only = firstEntry({ tag: "v1.12.11" });
  assert.equal(chooseOther(only), undefined);
  const { entries } = install(only, { tag: "v1.13.0" });
  const back = chooseOther(entries)!;
  assert.equal(back.chosen, "Talos-v1.12.11.efi");
  assert.equal(chooseOther(back)?.chosen, "Talos-v1.13.0.efi");
});

Deno.test("an installer's name says the version, and what it was made from", () => {
  const schematic = "376567988ad370138ad8b2698212367b".padEnd(64, "0");
  const read = (text: string) => installerImage(text, "v1.0.0");
  assert.deepEqual(read("ghcr.io/siderolabs/installer:v1.13.1"), {
    tag: "v1.13.1",
  });
  assert.deepEqual(read(`factory:5000/metal-installer/${schematic}:v1.12.0`), {
    tag: "v1.12.0",
    schematic,
  });
  assert.deepEqual(read("host:5000/installer"), { tag: "v1.0.0" });
  assert.deepEqual(read(`host/installer@sha256:${schematic}`), {
    tag: "v1.0.0",
  });
  assert.equal(read("docker.io/library/nginx:1.27"), undefined);
  assert.equal(read("reinstaller:v1"), undefined);
});
