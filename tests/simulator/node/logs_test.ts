import assert from "node:assert/strict";
import { virtualLog } from "../_virtual_log.ts";
import {
  logKernel,
  logLine,
  logStart,
  logStop,
  logTime,
} from "../../../simulator/node/logs.ts";
import { bootedNode, madeNodes, noon } from "../_node.ts";

Deno.test("a log begins with its first line", async () => {
  const [node] = await madeNodes();
  assert.equal(node!.boot.logs.get("kubelet"), undefined);
  logLine(node!, "kubelet", "a");
  logStop(node!, "kubelet");
  const log = node!.boot.logs.get("kubelet")!;
  assert.deepEqual([log.at(0), log.end()], ["a", 2]);
});

Deno.test("services start in their own way of writing", async () => {
  const [node] = await madeNodes();
  logStart(node!, "kubelet");
  assert.deepEqual(JSON.parse(node!.boot.logs.get("kubelet")!.at(0)), {
    ts: noon,
    caller: "app/server.go:543",
    msg: "Kubelet version",
    v: 0,
    kubeletVersion: "v1.34.1",
  });
  logStart(node!, "cri");
  assert.equal(
    node!.boot.logs.get("cri")!.at(0),
    'time="2026-03-01T12:00:00.000Z" level=info msg="starting containerd" revision=v2.2.5 version=v2.2.5',
  );
});

Deno.test("a virtual log has as many lines as it was given, and keeps none", () => {
  const log = virtualLog(1_000_000);
  assert.deepEqual([log.first(), log.end()], [0, 1_000_000]);
  assert.equal(
    log.at(7),
    '0000000007 level=info msg="an ordinary line of an ordinary log"',
  );
});

Deno.test("slashed writes time as init does", () => {
  assert.equal(logTime(new Date(noon + 7)), "2026/03/01 12:00:00.007000");
});

Deno.test("what init says is in the kernel log and in its own log", async () => {
  const node = await bootedNode();
  logKernel(node, "hello");
  const last = node.boot.kernelLog.at(node.boot.kernelLog.end() - 1);
  assert.deepEqual(last, {
    facility: "user",
    priority: "warning",
    time: node.clock.now(),
    text: "[talos] hello",
  });
  const log = node.boot.logs.get("machined")!;
  assert.equal(
    log.at(log.end() - 1),
    "2026/03/01 12:00:00.000000 [talos] hello",
  );
});

Deno.test("the kernel log starts with the kernel", async () => {
  const { boot: { kernelLog } } = await bootedNode();
  assert.match(kernelLog.at(0).text, /^Linux version 6\.18\.42-talos /);
  assert.match(kernelLog.at(1).text, /^Command line: talos\.platform=metal /);
});
