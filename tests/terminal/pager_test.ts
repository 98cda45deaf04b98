import assert from "node:assert/strict";
import type { Environment } from "../../terminal/environment.ts";
import { choosePager, openPager } from "../../terminal/pager.ts";

/** A terminal of four lines, and what was written where. */
function terminal(env: Readonly<Record<string, string>> = {}) {
  const written = { stdout: "", pager: "", command: "", closed: 0 };
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  const environment: Pick<Environment, "stdout" | "env" | "pager"> = {
    stdout: {
      terminal: true,
      columns: () => 80,
      rows: () => 4,
      write(bytes) {
        written.stdout += decode(bytes);
        return Promise.resolve();
      },
    },
    env: (name) => env[name],
    pager(command) {
      written.command = command;
      return {
        write(bytes) {
          written.pager += decode(bytes);
          return Promise.resolve();
        },
        close() {
          written.closed++;
          return Promise.resolve();
        },
      };
    },
  };
  return { environment, written };
}

async function write(
  { environment }: ReturnType<typeof terminal>,
  parts: readonly string[],
  isWanted = true,
): Promise<void> {
  const { sink, end } = openPager(
    environment,
    choosePager(environment, isWanted),
  );
  for (const part of parts) await sink.write(new TextEncoder().encode(part));
  await end();
}

Deno.test("text that fits on the screen needs no pager", async () => {
  const place = terminal();
  await write(place, ["a\n", "b\nc\n"]);
  assert.deepEqual(place.written, {
    stdout: "a\nb\nc\n",
    pager: "",
    command: "",
    closed: 0,
  });
});

Deno.test("longer text goes to the pager as a whole, which is waited for", async () => {
  const place = terminal({ PAGER: "more -s" });
  await write(place, ["a\nb\n", "c\nd\n", "e\n"]);
  assert.deepEqual(place.written, {
    stdout: "",
    pager: "a\nb\nc\nd\ne\n",
    command: "more -s",
    closed: 1,
  });
});

const pagers: readonly (readonly [
  env: Readonly<Record<string, string>>,
  pager: string | undefined,
])[] = [
  [{}, "less"],
  [{ PAGER: "more" }, "more"],
  [{ PAGER: "more", OSCTL_PAGER: "most" }, "most"],
  [{ PAGER: "cat" }, undefined],
  [{ PAGER: "" }, undefined],
  [{ TERM: "dumb" }, undefined],
];

for (const [env, pager] of pagers) {
  Deno.test(`the pager with ${JSON.stringify(env)} is ${pager}`, () => {
    assert.equal(choosePager(terminal(env).environment, true), pager);
  });
}
