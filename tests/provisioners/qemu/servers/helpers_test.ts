import assert from "node:assert/strict";
import { findLease } from "../../../../provisioners/qemu/servers/helpers.ts";
import { serveKms } from "../../../../provisioners/qemu/servers/kms.ts";
import { serveLoadBalancer } from "../../../../provisioners/qemu/servers/load_balancer.ts";
import { serveTcp } from "../../../../provisioners/sockets.ts";
import { serveTftp } from "../../../../provisioners/qemu/servers/tftp.ts";
import { withFolder } from "../../../_folder.ts";
import { needs } from "../../../_needs.ts";
import { cluster } from "../_cluster.ts";
import { command } from "../_command.ts";

const loopback = { host: "127.0.0.1", port: 0 };

Deno.test("findLease gives a machine its addresses, the nameservers of each family, and what it boots", () => {
  assert.deepEqual(findLease(cluster, 0), {
    mac: "02:00:00:00:00:01",
    hostname: "lab-controlplane-1",
    mtu: 1400,
    ipv4: {
      address: "10.5.0.2",
      prefix: 24,
      gateway: "10.5.0.1",
      nameservers: ["192.0.2.53"],
    },
    ipv6: {
      address: "fd74:616c:a05::2",
      prefix: 64,
      gateway: "fd74:616c:a05::1",
      nameservers: ["2001:db8::53"],
    },
    boot: {
      server: "10.5.0.1",
      file: "ipxe.efi",
      script: "http://10.5.0.1:40001/boot.ipxe",
    },
  });
  const plain = { ...cluster, isNamedByDhcp: false, bootScript: undefined };
  const { hostname, boot } = findLease(plain, 0);
  assert.deepEqual([hostname, boot], [undefined, undefined]);
});

Deno.test(
  "serveTftp sends files of any size, with small and large blocks",
  needs("tftp", "curl"),
  async () => {
    // As long as a whole number of blocks, whose end is an empty one.
    const content = crypto.getRandomValues(new Uint8Array(512 * 40));
    const server = await serveTftp({
      ...loopback,
      read: (name) =>
        Promise.resolve(name === "ipxe/amd64/snp.efi" ? content : undefined),
    });
    try {
      await withFolder({}, async (folder) => {
        const get = (name: string, ...more: string[]) =>
          command([
            "tftp",
            "-m",
            "binary",
            "127.0.0.1",
            `${server.port}`,
            ...more,
            "-c",
            "get",
            name,
            `${folder}/file`,
          ]);
        await get("ipxe/amd64/snp.efi");
        assert.deepEqual(await Deno.readFile(`${folder}/file`), content);
        const { code, bytes } = await command([
          "curl",
          "-s",
          "--tftp-blksize",
          "1400",
          `tftp://127.0.0.1:${server.port}/ipxe/amd64/snp.efi`,
        ]);
        assert.equal(code, 0);
        assert.deepEqual(bytes, content);
        assert.match((await get("other")).out, /file not found/);
      });
    } finally {
      server.close();
    }
  },
);

Deno.test(
  "serveLoadBalancer passes over control planes that are down",
  needs("curl"),
  async () => {
    const answers = (text: string) =>
      serveTcp(loopback, async (connection) => {
        await connection.read(new Uint8Array(1_000));
        await connection.write(
          new TextEncoder().encode(`HTTP/1.0 200 OK\r\n\r\n${text}`),
        );
      });
    const [first, second, down] = [
      answers("one "),
      answers("two "),
      answers(""),
    ];
    down.close();
    const upstreams = [first, down, second].map(({ port }) =>
      `127.0.0.1:${port}`
    );
    const balancer = serveLoadBalancer({ ...loopback, upstreams });
    try {
      const { out } = await command([
        "bash",
        "-c",
        `for i in 1 2 3; do curl -s http://127.0.0.1:${balancer.port}/; done`,
      ]);
      assert.equal(out, "one two two ");
      first.close();
      second.close();
      assert.equal(
        (await command(["curl", "-s", `http://127.0.0.1:${balancer.port}/`]))
          .code,
        52,
      );
    } finally {
      balancer.close();
    }
  },
);

Deno.test(
  "serveKms gives a node its key back, and no other node",
  needs("curl"),
  async () => {
    const server = await serveKms({
      ...loopback,
      key: new Uint8Array(32).fill(7),
    });
    const call = async (method: string, node: string, data: Uint8Array) => {
      const message = Uint8Array.from([
        10,
        node.length,
        ...new TextEncoder().encode(node),
        18,
        data.length,
        ...data,
      ]);
      const { bytes, err } = await command([
        ...["curl", "-sv", "--http2-prior-knowledge", "--data-binary", "@-"],
        ...["-H", "content-type: application/grpc", "-H", "te: trailers"],
        `http://127.0.0.1:${server.port}/sidero.kms.KMSService/${method}`,
      ], Uint8Array.from([0, 0, 0, 0, message.length, ...message]));
      const status = /< grpc-status: (\d+)/.exec(err)?.[1];
      return { status, data: bytes.slice(7) };
    };
    const key = new Uint8Array(32).fill(5);
    try {
      const sealed = await call("Seal", "node-a", key);
      assert.equal(sealed.status, "0");
      assert.equal(sealed.data.length, 60);
      assert.deepEqual(await call("Unseal", "node-a", sealed.data), {
        status: "0",
        data: key,
      });
      const other = await call("Unseal", "node-b", sealed.data);
      assert.equal(other.data.length, 32);
      assert.notDeepEqual(other.data, key);
      assert.equal((await call("Seal", "node-a", key.slice(1))).status, "3");
      assert.equal((await call("List", "node-a", key)).status, "12");
    } finally {
      server.close();
    }
  },
);
