import assert from "node:assert/strict";
import process from "node:process";
import { after, yieldPeriodically } from "../../lib/timer.ts";
import { startScript } from "../_script.ts";

Deno.test("after runs once, unless it is forgotten", async () => {
  const ran: string[] = [];
  const forget = after(1, () => ran.push("forgotten"));
  forget();
  forget();
  await new Promise<void>((resolve) => {
    // It keeps no process alive by itself.
    const alive = setTimeout(() => {}, 10_000);
    after(5, () => {
      ran.push("run");
      clearTimeout(alive);
      resolve();
    });
  });
  assert.deepEqual(ran, ["run"]);
});

Deno.test("after takes any time: what timers cannot count does not run at once", async () => {
  const ran: string[] = [];
  const forget = after(Number.MAX_SAFE_INTEGER, () => ran.push("too early"));
  await new Promise<void>((resolve) => after(5, resolve));
  forget();
  assert.deepEqual(ran, []);
});

Deno.test("yieldPeriodically lets timers and signals through when much was computed, and no sooner", async () => {
  const stop = new AbortController();
  const breathe = yieldPeriodically(stop.signal);
  assert.equal(breathe(), undefined);
  assert.equal(breathe(), undefined);
  const used = () => {
    const { system, user } = process.cpuUsage();
    return system + user;
  };
  for (const end = used() + 60_000; used() < end;);
  const due = Promise.withResolvers<string>();
  const timer = setTimeout(() => due.resolve("due"), 0);
  const pause = breathe();
  assert.ok(pause !== undefined);
  stop.abort(new RangeError("interrupted"));
  await assert.rejects(pause, /interrupted/);
  assert.equal(await due.promise, "due");
  clearTimeout(timer);
});

Deno.test("yieldPeriodically counts neither waiting nor what other threads computed meanwhile", async () => {
  // A process of its own: others compute in this one.
  const timer = new URL("../../lib/timer.ts", import.meta.url);
  const script = `
    import { noteWait, yieldPeriodically } from "${timer}";
    const wait = (ms) => new Promise((done) => setTimeout(done, ms));
    const compute = (ms) => {
      const used = () => Deno.cpuUsage().user + Deno.cpuUsage().system;
      for (const end = used() + ms * 1000; used() < end;);
    };
    const breathe = yieldPeriodically({ throwIfAborted() {} });
    const pauses = [breathe()];
    await wait(80);
    pauses.push(breathe());
    compute(60);
    noteWait();
    pauses.push(breathe());
    compute(60);
    pauses.push(breathe());
    console.log(pauses.map((pause) => pause !== undefined).join());
  `;
  const child = await startScript(script);
  const { stdout } = await child.output();
  assert.equal(new TextDecoder().decode(stdout), "false,false,false,true\n");
});
