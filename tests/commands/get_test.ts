import assert from "node:assert/strict";
import { run } from "../_run.ts";
import { lists } from "./_resources.ts";

const version = () => ({ messages: [{ version: { tag: "v1.12.1" } }] });

Deno.test("get -o jsonpath strips control sequences on a terminal only", async () => {
  const list = lists({ id: "x", spec: 'name: "a\\e[31mb"\n' });
  const line = ["get", "links", "-o", "jsonpath={.spec.name}"];
  const piped = await run(line, { a: { list, version } });
  assert.equal(piped.out, "a\x1b[31mb\n");
  const shown = await run(line, { a: { list, version } }, { columns: 80 });
  assert.equal(shown.out, "ab\n");
});

Deno.test("get shows a machine configuration as text, from new and old nodes", async () => {
  const kind = {
    type: "MachineConfigs.config.talos.dev",
    namespace: "config",
    id: "v1alpha1",
  };
  const newer = {
    ...kind,
    spec: "|\n    version: v1alpha1\n    debug: false\n",
    metadata: { annotations: { "talos.dev/yaml-spec": "1" } },
  };
  const older = { ...kind, spec: "version: v1alpha1\ndebug: false\n" };
  const { out } = await run("get mc -o jsonpath=.spec", {
    a: { list: lists(newer), version },
    b: { list: lists(older), version },
  });
  const config = "version: v1alpha1\ndebug: false\n\n";
  assert.equal(out, config + config);
});

Deno.test("get --insecure asks the maintenance service", async () => {
  let insecure = false;
  await run("get links -i", { a: { list: lists(), version } }, {
    onOpen: (request) => insecure = request.insecure,
  });
  assert.equal(insecure, true);
});
