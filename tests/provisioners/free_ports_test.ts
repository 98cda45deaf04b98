import assert from "node:assert/strict";
import { freePorts } from "../../provisioners/free_ports.ts";

Deno.test("freePorts finds ports that differ, and can be listened on", () => {
  const ports = freePorts(20, "127.0.0.1");
  assert.equal(new Set(ports).size, 20);
  for (const port of ports) {
    using _ = Deno.listen({ hostname: "127.0.0.1", port });
  }
});
