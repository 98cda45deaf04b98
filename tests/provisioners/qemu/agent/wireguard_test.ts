import assert from "node:assert/strict";
import { hasWireguard } from "../../../../provisioners/qemu/agent/wireguard.ts";
import { needs } from "../../../_needs.ts";

Deno.test(
  "hasWireguard finds the kernel's, or the program that replaces it",
  needs("wireguard-go"),
  async () => {
    // Tests of the agent cover creation and removal of interfaces.
    assert.equal(await hasWireguard(), true);
  },
);
