import assert from "node:assert/strict";
import {
  chooseEtcd,
  type EtcdRequest,
} from "../../../provisioners/embedded/etcd_choice.ts";
import { needs, posix } from "../../_needs.ts";

/** Runs a check with the path of a program that says it is etcd. */
function check(name: string, fn: (program: string) => Promise<void>): void {
  Deno.test({
    name,
    ...needs(posix),
    async fn() {
      const folder = await Deno.makeTempDir();
      try {
        const program = `${folder}/etcd`;
        const script = "#!/bin/sh\necho etcd Version: 9.8.7\n";
        await Deno.writeTextFile(program, script, { mode: 0o755 });
        await fn(program);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}

const auto: EtcdRequest = { kind: "auto", controlplanes: 3, os: "linux" };

check(
  "by itself the real etcd is run where it is installed",
  async (program) => {
    assert.deepEqual(await chooseEtcd({ ...auto, program }), { program });
    const absent = `${program}-absent`;
    assert.equal(await chooseEtcd({ ...auto, program: absent }), "model");
  },
);

check("the model is run where it is asked for", async (program) => {
  const kind = "model";
  assert.equal(await chooseEtcd({ ...auto, kind, program }), "model");
});

check(
  "by itself no more real members are run than etcd is made for",
  async (program) => {
    const choose = (controlplanes: number) =>
      chooseEtcd({ ...auto, controlplanes, program });
    assert.deepEqual(await choose(7), { program });
    assert.equal(await choose(8), "model");
  },
);

check(
  "by itself no real etcd is run where nothing would end it",
  async (program) => {
    const choose = (os: string) => chooseEtcd({ ...auto, os, program });
    assert.deepEqual(await choose("darwin"), { program });
    assert.equal(await choose("windows"), "model");
  },
);

check("who asks for the real one gets it, or an error", async (program) => {
  const kind = "real";
  const wishes = { kind, controlplanes: 8, os: "linux" } as const;
  assert.deepEqual(await chooseEtcd({ ...wishes, program }), { program });
  const absent = `${program}-absent`;
  await assert.rejects(chooseEtcd({ ...wishes, program: absent }), {
    name: "ConfigError",
    message: `Cannot run "${absent}": it is not installed, or it is not etcd`,
  });
});
