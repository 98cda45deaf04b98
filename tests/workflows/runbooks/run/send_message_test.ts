import assert from "node:assert/strict";
import {
  senderNow,
  sendMessage,
} from "../../../../workflows/runbooks/run/send_message.ts";
import { realEnvironment } from "../../../../terminal/environment.ts";
import { holdRun, makeRun } from "../store/_runs.ts";
import { withHome } from "../../../commands/_home.ts";

Deno.test("it is said when a process does not look, and the message stays", () =>
  withHome(async (env) => {
    const folder = await makeRun(`${env.OS_HOME}/runs`);
    using _ = await holdRun(folder);
    const reported: string[] = [];
    const environment = {
      ...realEnvironment(),
      env: (name: string) => env[name],
    };
    const delivered = await sendMessage({
      environment,
      // Whoever interrupts the command does not wait either.
      signal: AbortSignal.abort(),
      note: (text) => reported.push(text),
    }, {
      id: "20261120-7k2f",
      message: { ...senderNow(environment, "x"), type: "stop", hard: false },
      record: () => assert.fail("a process has it"),
    });
    assert.equal(delivered, "left");
    assert.deepEqual(reported, [
      'The process of run "20261120-7k2f" has not responded for 10 s; the message stays queued',
    ]);
    const left = await Array.fromAsync(Deno.readDir(`${folder}/inbox`));
    assert.equal(left.length, 1);
  }));
