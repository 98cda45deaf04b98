import assert from "node:assert/strict";
import { CancelledError } from "../../errors.ts";
import { findProgram, has, needs } from "../_needs.ts";
import { run } from "../_run.ts";
import { withWire } from "../_wire.ts";
import { untilAborted } from "./_broken_streams.ts";

const left =
  "Packets of the node API (TCP port 50000) are skipped; to capture them: --exclude-node-api=false\n";

/** Whole packets in a capture; fails when there is a part of one behind them. */
function packetsIn(capture: Uint8Array): number {
  const view = new DataView(
    capture.buffer,
    capture.byteOffset,
    capture.byteLength,
  );
  assert.equal(view.getUint32(0, true), 0xa1b2c3d4);
  let at = 24;
  let packets = 0;
  for (; at < capture.length; packets++) {
    at += 16 + view.getUint32(at + 8, true);
  }
  assert.equal(at, capture.length);
  return packets;
}

Deno.test("pcap shows and saves packets of a simulated node until its time is up, it is interrupted or refused", async () => {
  await withWire({ workers: 1 }, async ({ osctl, names: [node = ""] }) => {
    const stop = new AbortController();
    const shown = await osctl(`pcap -n ${node}`, {
      signal: stop.signal,
      // After a whole round, in which there is a packet of the node API.
      onWrite: (out) =>
        out.split("ARP who").length > 2 && stop.abort(new CancelledError()),
    });
    assert.match(shown.out, /^\S+ ARP who has \S+ tell \S+\n/);
    assert.match(shown.out, /UDP DNS answer 0 A registry\.k8s\.io: 1 record/);
    assert.doesNotMatch(shown.out, /\.50000\b/);
    assert.match(shown.err, /^Packets of .*\n\d+ packets captured\n/);
    assert.equal(shown.status, 130);

    const folder = await Deno.makeTempDir();
    try {
      const file = `${folder}/x.pcap`;
      const saved = await osctl(
        `pcap -n ${node} --duration 400ms --exclude-node-api=false -o ${file}`,
      );
      const packets = packetsIn(await Deno.readFile(file));
      assert.ok(packets > 0);
      assert.deepEqual([saved.out, saved.status], ["", 0]);
      assert.match(saved.err, new RegExp(`^${packets} packets? captured\\n$`));

      const refused = await osctl(`pcap -n ${node} -i eth7 -o ${file}`);
      assert.match(refused.err, /interface "eth7" not found/);
      assert.equal(refused.status, 1);
      assert.equal(packetsIn(await Deno.readFile(file)), packets);
      if (findProgram("capinfos") !== undefined) {
        const { success, stdout, stderr } = await new Deno.Command("capinfos", {
          args: ["-McTr", file],
        }).output();
        assert.ok(success, new TextDecoder().decode(stderr));
        const row = new TextDecoder().decode(stdout);
        assert.equal(row, `${file}\t${packets}\n`);
      }
      if (!has("tcpdump")) return;
      const { success, stdout, stderr } = await new Deno.Command("tcpdump", {
        args: ["-nvvr", file],
      }).output();
      assert.ok(success);
      const text = new TextDecoder().decode(stdout);
      assert.match(text, /ARP, Ethernet/);
      assert.doesNotMatch(text, /bad|incorrect|truncated/);
      assert.doesNotMatch(new TextDecoder().decode(stderr), /truncated/);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
});

/** A capture of two packets, the last of them cut. */
async function* packetCapture() {
  const bytes = new Uint8Array(24 + 2 * 20);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0xa1b2c3d4, true);
  view.setUint32(20, 1, true);
  for (const at of [24, 44]) view.setUint32(at + 8, 4, true);
  await Promise.resolve();
  yield { bytes: bytes.subarray(0, 30) };
  yield { bytes: bytes.subarray(30, 60) };
}

const node = { packetCapture, get: () => Promise.resolve({}) };

Deno.test("pcap -o - writes whole packets, and an empty capture is one", async () => {
  const cut = await run("pcap -o -", { a: node });
  assert.equal(packetsIn(cut.bytes), 1);
  assert.deepEqual([cut.err, cut.status], [`${left}1 packet captured\n`, 0]);
  const none = await run("pcap -o -", {
    a: { ...node, async *packetCapture() {} },
  });
  assert.equal(packetsIn(none.bytes), 0);
});

Deno.test("pcap sends the filter, behind the one that drops the node API", async () => {
  const asked: { readonly bpfFilter: readonly unknown[] }[] = [];
  const recording = {
    ...node,
    packetCapture(request: (typeof asked)[number]) {
      asked.push(request);
      return packetCapture();
    },
  };
  const line = ["pcap", "-i", "eth1", "--promiscuous", "-o", "-"];
  const filter = ["--bpf-filter", "{ 0x6, 0, 0, 0x00000007 },"];
  const last = { op: 6, jt: 0, jf: 0, k: 7 };
  await run([...line, ...filter], { a: recording });
  assert.deepEqual(asked[0]?.bpfFilter.at(-1), last);
  assert.equal(asked[0]?.bpfFilter.length, 22);
  await run([...line, ...filter, "--exclude-node-api=false"], { a: recording });
  assert.deepEqual(asked[1], {
    interface: "eth1",
    promiscuous: true,
    snapLen: 0,
    bpfFilter: [last],
  });
});

Deno.test({
  name: "pcap --filter compiles with tcpdump, and says what it says",
  ...needs("tcpdump"),
  async fn() {
    const { status } = await run(
      ["pcap", "--filter", "tcp port 6443", "-o", "-"],
      { a: node },
    );
    assert.equal(status, 0);
    const wrong = await run(["pcap", "--filter", "tcp prt 6443"], {
      a: { get: () => Promise.resolve({}) },
    });
    assert.match(
      wrong.err,
      /^error: tcpdump cannot compile --filter "tcp prt 6443": .*syntax error/,
    );
    assert.equal(wrong.status, 2);
  },
});

Deno.test("pcap refuses two filters, and several nodes", async () => {
  const both = await run(["pcap", "--filter", "arp", "--bpf-filter", "x"]);
  assert.match(both.err, /--filter and --bpf-filter cannot be combined/);
  const several = await run("pcap", { a: {}, b: {} });
  assert.match(several.err, /takes one node|works on one node/);
  assert.deepEqual([both.status, several.status], [2, 2]);
});

for (const [name, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`pcap ends the capture on the node at ${name}, and leaves a whole file`, async () => {
    const stop = new AbortController();
    let ended = false;
    const capturing = {
      ...node,
      async *packetCapture(_: unknown, signal?: AbortSignal) {
        yield* packetCapture();
        stop.abort(new CancelledError(name));
        await untilAborted(signal);
        ended = true;
      },
    };
    const path = await Deno.makeTempFile();
    try {
      const ran = await run(
        ["pcap", "-o", path],
        { a: capturing },
        { signal: stop.signal },
      );
      assert.equal(packetsIn(await Deno.readFile(path)), 1);
      assert.deepEqual([ran.status, ended], [status, true]);
    } finally {
      await Deno.remove(path);
    }
  });
}
