import assert from "node:assert/strict";
import { readSource } from "../../../commands/_kit/source_text.ts";
import type { Environment } from "../../../terminal/environment.ts";
import { CancelledError, ConfigError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";

const bounds = { limitMib: 1, expected: "a poem" };

function context(readable: ReadableStream<Uint8Array>) {
  const environment = {
    stdin: { terminal: false, readable },
  } as unknown as Environment;
  return { environment, signal: new AbortController().signal };
}

function chunks(...parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(parts);
}

const nothing = context(chunks());

Deno.test("readSource reads a file", () =>
  withFolder({ "a.txt": "one\r\ntwo" }, async (folder) => {
    const path = `${folder}/a.txt`;
    assert.deepEqual(await readSource(path, nothing, bounds), {
      text: "one\r\ntwo",
      name: path,
    });
  }));

Deno.test("readSource names a file that is not there", async () => {
  await assert.rejects(
    readSource("/nowhere/a.txt", nothing, bounds),
    new ConfigError('Cannot read "/nowhere/a.txt": no such file'),
  );
});

Deno.test("readSource reads standard input, characters that were split among it", async () => {
  const bytes = new TextEncoder().encode("\ufeffé€");
  const parts = [...bytes].map((byte) => Uint8Array.of(byte));
  assert.deepEqual(await readSource("-", context(chunks(...parts)), bounds), {
    text: "é€",
    name: "standard input",
  });
  assert.equal((await readSource("-", nothing, bounds)).text, "");
});

Deno.test("readSource takes no more from standard input than it may", async () => {
  let taken = 0;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      taken++;
      controller.enqueue(new Uint8Array(512 * 1024));
    },
  });
  await assert.rejects(readSource("-", context(endless), bounds), {
    message: 'Cannot read "standard input": it is larger than 1 MiB',
    hint: "Give a poem",
  });
  assert.ok(taken < 6, `${taken} chunks`);
});

Deno.test("readSource refuses standard input that is no text", async () => {
  for (const byte of [0xff, 0xc3]) {
    await assert.rejects(
      readSource("-", context(chunks(Uint8Array.of(byte))), bounds),
      {
        message: 'Cannot read "standard input": it is not UTF-8',
        hint: "Give UTF-8",
      },
    );
  }
});

Deno.test("readSource stops waiting when the user interrupts", async () => {
  const stop = new AbortController();
  const silent = context(new ReadableStream());
  const reading = readSource("-", { ...silent, signal: stop.signal }, bounds);
  stop.abort(new CancelledError());
  await assert.rejects(reading, new CancelledError());
});
