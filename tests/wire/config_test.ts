import assert from "node:assert/strict";
import { readMode } from "../commands/config/_file.ts";
import { withWire } from "../_wire.ts";

Deno.test("config new makes a client configuration that works, with the roles asked for", async () => {
  await withWire(
    { controlplanes: 1, workers: 1 },
    async ({ osctl, names, osconfig }) => {
      const [first, worker] = names;
      const path = `${osconfig}.new`;
      const made = await osctl(
        `config new ${path} -n ${first} --roles os:reader --crt-ttl 24h`,
      );
      assert.deepEqual({ out: made.out, status: made.status }, {
        out: "",
        status: 0,
      });
      assert.equal(await readMode(path), 0o600);
      const info = await osctl(`config info --osconfig ${path}`);
      assert.match(info.out, /^Roles: {15}os:reader$/m);
      assert.match(info.out, /^Certificate expires: \d+ hours from now /m);
      assert.match(info.err, /expires on .*, in 2[34] hours; renew it with/);

      const used = await osctl(
        `memory --osconfig ${path} --no-expiry-warning -n ${first}`,
      );
      assert.deepEqual({ err: used.err, status: used.status }, {
        err: "",
        status: 0,
      });
      // A reader may look, but not make clients.
      const more = await osctl(
        `config new ${path}2 --osconfig ${path} -n ${first}`,
      );
      assert.match(more.err, /\nhint: This needs the role os:admin; /);
      assert.equal(more.status, 1);

      const refused = await osctl(`config new ${path}3 -n ${worker}`);
      assert.match(refused.err, /hint: Choose a control plane with --nodes\n$/);
      assert.equal(refused.status, 1);
      await assert.rejects(Deno.stat(`${path}3`), Deno.errors.NotFound);
    },
  );
});

Deno.test("config renew gets a certificate from a control plane, and the old one is replaced", async () => {
  await withWire(
    { controlplanes: 2, workers: 1 },
    async ({ osctl, osconfig }) => {
      const before = await Deno.readTextFile(osconfig);
      const renewed = await osctl("config renew --crt-ttl 48h -o json");
      assert.equal(renewed.status, 0, renewed.err);
      const row = JSON.parse(renewed.out);
      assert.deepEqual(row.roles, ["os:admin"]);
      const left = Date.parse(row.newNotAfter) - Date.now();
      assert.ok(left > 47.9 * 3_600_000 && left <= 48 * 3_600_000);
      assert.notEqual(await Deno.readTextFile(osconfig), before);
      assert.equal(await readMode(osconfig), 0o600);
      const used = await osctl("memory --no-expiry-warning");
      assert.deepEqual({ err: used.err, status: used.status }, {
        err: "",
        status: 0,
      });
      // The certificate of before still says who may renew the one of today.
      assert.equal((await osctl("config renew --no-expiry-warning")).status, 0);
    },
  );
});

Deno.test("config renew with the machine configuration of a node works after the end of the certificate", async () => {
  await withWire({}, async ({ osctl, cluster, osconfig, names }) => {
    const machine = await osctl(
      `get machineconfig v1alpha1 -n ${names[0]} -o jsonpath={.spec}`,
    );
    assert.equal(machine.status, 0, machine.err);
    const path = `${osconfig}.controlplane`;
    await Deno.writeTextFile(path, machine.out);
    const expired = await cluster.identify(["os:admin"], {
      notBefore: new Date(Date.now() - 7_200_000),
      notAfter: new Date(Date.now() - 3_600_000),
    });
    const text = await Deno.readTextFile(osconfig);
    const encoded = new TextEncoder().encode(expired.crt).toBase64();
    const key = new TextEncoder().encode(expired.key).toBase64();
    await Deno.writeTextFile(
      osconfig,
      text.replace(/crt: .*/, `crt: ${encoded}`).replace(
        /key: .*/,
        `key: ${key}`,
      ),
    );
    const refused = await osctl("config renew");
    assert.match(refused.err, /^error: .*Client certificate expired on /);
    assert.match(
      refused.err,
      /hint: Renew it from a secrets bundle or a control plane configuration/,
    );
    assert.equal(refused.status, 2);
    const renewed = await osctl(
      `config renew --from-controlplane-config ${path}`,
    );
    assert.equal(renewed.status, 0, renewed.err);
    assert.equal((await osctl("memory")).status, 0);
  });
});
