import assert from "node:assert/strict";
import { withWire } from "../_wire.ts";
import { hasTerminal, withTerminal } from "./_terminal.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

const narrow = `Read from 10.5.0.2; --all-nodes reads from all 2 nodes
NODE       ID                         MACHINE TYPE   OS
10.5.0.2   simulated-controlplane-1   controlplane   Talos (v1.12.11)
10.5.0.2   simulated-worker-1         worker         Talos (v1.12.11)
+5 columns, -o wide`;

const middle = `Read from 10.5.0.2; --all-nodes reads from all 2 nodes
NODE       NAMESPACE   TYPE     ID                         VERSION   MACHINE TYPE   OS                 ADDRESSES
10.5.0.2   cluster     Member   simulated-controlplane-1   1         controlplane   Talos (v1.12.11)   ["10.5.0.2"]
10.5.0.2   cluster     Member   simulated-worker-1         1         worker         Talos (v1.12.11)   ["10.5.0.3"]
+1 column, -o wide`;

const wide = `Read from 10.5.0.2; --all-nodes reads from all 2 nodes
NODE       NAMESPACE   TYPE     ID                         VERSION   HOSTNAME                   MACHINE TYPE   OS                 ADDRESSES
10.5.0.2   cluster     Member   simulated-controlplane-1   1         simulated-controlplane-1   controlplane   Talos (v1.12.11)   ["10.5.0.2"]
10.5.0.2   cluster     Member   simulated-worker-1         1         simulated-worker-1         worker         Talos (v1.12.11)   ["10.5.0.3"]`;

const pictures = [[80, narrow], [120, middle], [200, wide]] as const;

Deno.test({
  name:
    "a table fits terminals of 80, 120 and 200 columns, and says what it leaves out",
  ignore: !hasTerminal,
  async fn() {
    await withWire({ controlplanes: 1, workers: 1 }, async ({ osconfig }) => {
      const command = [
        ...[Deno.execPath(), "run", "-A", "--no-check", main],
        ...["get", "members"],
      ].join(" ");
      await Promise.all(pictures.map(([columns, picture]) =>
        withTerminal(
          ["sh", "-c", `${command}; echo over; sleep 60`],
          { ...Deno.env.toObject(), OSCONFIG: osconfig },
          async ({ shows }) => {
            const screen = await shows(/^over$/m);
            const lines = screen.split("over")[0]!.trimEnd().split("\n");
            assert.equal(
              lines.map((line) => line.trimEnd()).join("\n"),
              picture,
            );
          },
          { columns, rows: 20 },
        )
      ));
    });
  },
});
