import assert from "node:assert/strict";
import { serveMachine } from "../../../../provisioners/qemu/servers/machine_server.ts";
import { needs } from "../../../_needs.ts";
import { command } from "../_command.ts";

const loopback = { host: "127.0.0.1", port: 0 };

Deno.test(
  "serveMachine gives a machine its configuration, and switches it",
  needs("curl"),
  async () => {
    const calls: string[] = [];
    const server = serveMachine({
      ...loopback,
      configuration: () => Promise.resolve("machine: {}\n"),
      owners: ["127.0.0.2"],
      bootScript: "#!ipxe\n",
      power: {
        isOn: () => !calls.includes("off"),
        on: () => calls.push("on"),
        off: () => calls.push("off"),
        restart: (options) =>
          calls.push(options?.network ? "network" : "restart"),
      },
    });
    const curl = async (...words: string[]) => {
      const path = words.pop();
      const { out } = await command([
        "curl",
        "-s",
        "-w",
        " %{http_code}",
        ...words,
        `http://127.0.0.1:${server.port}${path}`,
      ]);
      return out;
    };
    try {
      assert.equal(
        await curl("--interface", "127.0.0.2", "/config.yaml"),
        "machine: {}\n 200",
      );
      assert.equal(
        await curl("--interface", "127.0.0.3", "/config.yaml"),
        " 403",
      );
      assert.equal(await curl("/boot.ipxe"), "#!ipxe\n 200");
      assert.equal(await curl("/status"), '{"PoweredOn":true} 200');
      for (const path of ["/reboot", "/pxeboot", "/poweroff"]) {
        assert.equal(await curl("-X", "POST", path), " 200");
      }
      assert.equal(await curl("/status"), '{"PoweredOn":false} 200');
      assert.equal(await curl("-X", "POST", "/poweron"), " 200");
      assert.equal(
        await curl("-X", "POST", "--interface", "127.0.0.2", "/poweroff"),
        " 403",
      );
      assert.equal(await curl("-X", "PUT", "/status"), " 501");
      assert.deepEqual(calls, ["restart", "network", "off", "on"]);
    } finally {
      server.close();
    }
  },
);
