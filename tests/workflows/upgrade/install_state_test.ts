import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readInstallState } from "../../../workflows/upgrade/install_state.ts";
import { fakeNodes } from "../../_fake.ts";

interface Evidence {
  /** Lines of the log of its init program; omitted, it may not be read. */
  readonly log?: readonly string[];
  /** Entry the boot loader starts next. */
  readonly chosen?: string;
  readonly running?: string;
  readonly processes?: readonly string[];
}

const image = "registry.example/installer:v1.13.1";

async function findState(
  { log, chosen, running, processes = ["/sbin/init"] }: Evidence,
  version: string | undefined = "v1.13.1",
) {
  const encoder = new TextEncoder();
  const variable = (text: string) => {
    const units = Uint16Array.from(
      [...`${text}\0`],
      (one) => one.charCodeAt(0),
    );
    return new Uint8Array([6, 0, 0, 0, ...new Uint8Array(units.buffer)]);
  };
  const { nodes } = fakeNodes({
    a: {
      async *logs() {
        await Promise.resolve();
        if (log === undefined) throw new RpcError("NOT_FOUND", "no log");
        yield { bytes: encoder.encode(log.map((one) => `${one}\n`).join("")) };
      },
      async *read({ path }) {
        await Promise.resolve();
        const name = path.split("/").at(-1).split("-")[0];
        const text = name === "LoaderEntryDefault" ? chosen : running;
        if (text === undefined) throw new RpcError("UNKNOWN", "no such file");
        yield { bytes: variable(text) };
      },
      processes: () => ({
        messages: [{ processes: processes.map((args) => ({ args })) }],
      }),
    },
  });
  return await readInstallState(await nodes.at("a"), version);
}

function line(fields: object): string {
  const all = { service: "lifecycle", ...fields };
  return `2026-01-02T03:04:05.678Z INFO words ${JSON.stringify(all)}`;
}

const start = line({ installer_image: image, disk: "/dev/vda" });
const noise = [
  "2026/01/02 03:04:05 [init] phase (1/9): {",
  line({ message: '{"exit_code": 7}' }),
  '… {"service": "other", "exit_code": 3}',
];

Deno.test("the log tells that an installer has ended, and how", async () => {
  assert.deepEqual(
    await findState({
      log: [...noise, start, ...noise, line({ exit_code: 0 })],
    }),
    { state: "ended", image, exitCode: 0 },
  );
  assert.deepEqual(
    await findState({
      log: [start, line({ exit_code: 0 }), start, line({ exit_code: 4 })],
    }),
    { state: "ended", image, exitCode: 4 },
  );
});

Deno.test("the boot loader's choice tells it without a log", async () => {
  const entries = {
    running: "System-v1.13.0.efi",
    chosen: "system-v1.13.1.efi",
  };
  const ended = { state: "ended", image: "", exitCode: 0 };
  assert.deepEqual(await findState(entries), ended);
  const again = {
    ...entries,
    running: "s-v1.13.1.efi",
    chosen: "s-v1.13.1~1.efi",
  };
  assert.deepEqual(await findState(again), ended);
  // A choice of another version is not this installation's.
  assert.equal((await findState(entries, "v1.13.2")).state, "unknown");
  const same = { ...entries, running: "System-v1.13.1.EFI" };
  assert.equal((await findState(same)).state, "unknown");
  const { chosen } = entries;
  assert.equal((await findState({ chosen })).state, "unknown");
});

Deno.test("the processes tell that an installer is running", async () => {
  const processes = ["/sbin/init", "/bin/installer install --disk=/dev/vda"];
  assert.deepEqual(await findState({ log: [start], processes }), {
    state: "running",
    image,
  });
  assert.deepEqual(await findState({ processes }), {
    state: "running",
    image: "",
  });
});

Deno.test("a log without an installer tells that there was none", async () => {
  assert.deepEqual(await findState({ log: noise }), { state: "none" });
});

Deno.test("without a log, or without a word at its end, nothing is known", async () => {
  assert.deepEqual(await findState({}), { state: "unknown", image: "" });
  assert.deepEqual(await findState({ log: [start, ...noise] }), {
    state: "unknown",
    image,
  });
});
