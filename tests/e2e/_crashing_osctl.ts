/**
 * Loaded before osctl: kills its process at a record of the journal, so that nothing else gets to run.
 *
 * `DIES_AT` says where: `after intent`, `before step install`, `amid outcome` (half of the line is on the disk).
 */

const [when, ...names] = (Deno.env.get("DIES_AT") ?? "").split(" ");
const wanted = names.join(" ");
const { write, sync } = Deno.FsFile.prototype;
let written: string | undefined;

Deno.FsFile.prototype.write = async function (bytes) {
  written = recordType(bytes);
  const isWanted = written === wanted;
  if (isWanted && when === "before") die();
  if (isWanted && when === "amid") {
    await write.call(this, bytes.subarray(0, bytes.length >> 1));
    die();
  }
  return await write.call(this, bytes);
};

Deno.FsFile.prototype.sync = async function () {
  await sync.call(this);
  if (written === wanted && when === "after") die();
};

/** Type of a record, and the name of a step. */
function recordType(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(bytes);
  const [, type, step] = /^\{"type":"(\w+)"(?:.*"step":"(\w+)")?/.exec(text) ??
    [];
  return step === undefined ? type : `${type} ${step}`;
}

function die(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}
