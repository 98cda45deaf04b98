import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { run } from "../../_run.ts";
import { smallSite } from "../../workflows/site/_site.ts";

Deno.test("site schema accepts a site and rejects wrong keys", async () => {
  const { out } = await run("site schema");
  const validate = new Ajv2020({ strict: false }).compile(JSON.parse(out));
  const site = parse(`${smallSite}
upgrade: {batch: 25%, soak: 5m, windows: {days: [sat], from: "22:00", to: "04:00", zone: Europe/Berlin}}
checks: [k8s.nodeReady]
groups: {gpu: {extensions: [nvidia]}}
`);
  assert.equal(validate(site), true, JSON.stringify(validate.errors));
  assert.equal(validate({ ...site, clusterNam: "x" }), false);
  assert.equal(validate({ ...site, nodes: [{ host: "a" }] }), false);
});
