import assert from "node:assert/strict";
import { httpProxy } from "../transport/_proxy.ts";
import { withWire } from "../_wire.ts";

Deno.test("every connection goes through proxy-url of the context", async () => {
  await withWire({}, async ({ cluster, osctl, names: [node = ""] }) => {
    const endpoint = cluster.listening.get(node) ?? "";
    await using proxy = httpProxy({ [endpoint]: endpoint });
    const url = `http://user:hunter2@${proxy.address}`;
    const set = await osctl(["config", "proxy-url", url]);
    assert.deepEqual([set.out, set.err, set.status], ["", "", 0]);

    const asks = async (line: string) => {
      const before = proxy.asked.length;
      const ran = await osctl(line);
      assert.ok(proxy.asked.length > before, line);
      return ran;
    };
    assert.equal((await asks(`version -n ${node}`)).status, 0);
    const doctor = await asks("doctor connect");
    assert.match(
      doctor.out,
      /proxy +ok +http proxy "127\.0\.0\.1:\d+": proxy-url of the context names it/,
    );
    await asks(`version --insecure -n ${endpoint}`);
    await asks(`doctor connect --insecure -n ${endpoint}`);

    const info = await osctl("config info");
    assert.match(
      info.out,
      /^Proxy: {15}http:\/\/\*\*\*@127\.0\.0\.1:\d+$/m,
    );
    assert.equal(
      (await osctl("config proxy-url")).out,
      `http://user:******@${proxy.address}\n`,
    );
    await osctl(["config", "proxy-url", ""]);
    assert.equal((await osctl("config proxy-url")).out, "\n");
  });
});

Deno.test("a proxy of the context that is down is named, and direct goes past all", async () => {
  await withWire({}, async ({ osctl, names: [node = ""] }) => {
    await osctl("config proxy-url http://127.0.0.1:9");
    const down = await osctl(`version -n ${node}`);
    assert.match(down.err, /Cannot connect to proxy "127\.0\.0\.1:9"/);
    assert.equal(down.status, 1);
    const env = { HTTPS_PROXY: "http://127.0.0.1:9" };
    await osctl("config proxy-url direct");
    assert.equal((await osctl(`version -n ${node}`, { env })).status, 0);
    const doctor = await osctl("doctor connect", { env });
    assert.match(
      doctor.out,
      /proxy +ok +none: proxy-url of the context is "direct"/,
    );
  });
});
