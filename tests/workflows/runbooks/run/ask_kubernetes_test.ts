import assert from "node:assert/strict";
import { realEnvironment } from "../../../../terminal/environment.ts";
import {
  askKubernetes,
  type KeptRun,
} from "../../../../workflows/runbooks/run/ask_kubernetes.ts";
import { withFolder } from "../../../_folder.ts";
import { withRunner } from "../../_step_context.ts";
import { withWire } from "../../../_wire.ts";
import { runSession } from "../../../../commands/_runbook/session.ts";
import {
  initialGlobals,
  runbook,
  withRunHome,
} from "../../../commands/runbook/_home.ts";

Deno.test("a cluster whose CA a run has exchanged is opened with the credentials of its vault", () =>
  withWire(
    { controlplanes: 1 },
    ({ cluster, osconfig }) =>
      withFolder({}, async (folder) => {
        await withRunner({ cluster, folder }, async ({ read, changeAll }) => {
          const { ca } = await read("ca.generate", { kind: "os" });
          await read("osconfig.issue", { ca: ca! });
          const exchanged = { kind: "os", ca: { secret: "ca.os" } };
          await changeAll("ca.accept", exchanged);
          await changeAll("ca.issue", exchanged);
          await changeAll("ca.drop", { kind: "os", which: "old" });
        });
        await cluster.settled();
        const notes: string[] = [];
        const asked = (
          run: KeptRun | undefined,
          passphrase = "correct horse",
        ) =>
          askKubernetes(
            runSession({
              commands: [],
              globals: { ...initialGlobals, osconfig },
              reopen: () => assert.fail(),
              environment: {
                ...realEnvironment(),
                env: (name) =>
                  name === "OS_HOME"
                    ? folder
                    : name === "OSCTL_VAULT_PASSPHRASE"
                    ? passphrase
                    : undefined,
              },
              note: (text) => void notes.push(text),
              signal: new AbortController().signal,
            }),
            { run: () => Promise.resolve(run), vaultKey: undefined },
            (kubernetes, signal) =>
              kubernetes.request("/api/v1/nodes", { signal }),
          );
        const refused = { name: "ConnectError" };
        await assert.rejects(asked(undefined), refused);
        const run = { id: "20261120-7k2f", folder };
        const { kind } = await asked(run) as { readonly kind?: string };
        assert.equal(kind, "NodeList");
        assert.deepEqual(notes, []);
        await assert.rejects(asked(run, "another one"), refused);
        assert.match(
          notes.join(),
          /^The credentials of run "20261120-7k2f" are not used: /,
        );
        const bare = await Deno.makeTempDir({ dir: folder });
        await assert.rejects(asked({ ...run, folder: bare }), refused);
      }),
  ));

Deno.test("the key of the vault may be kept elsewhere, and is requested by name", () =>
  withRunHome(async ({ osctl, home, ids, write }) => {
    const file = await write(runbook(`  - id: workers
    forEach: { nodes: workers }
    steps: [{ id: cordon, run: node.cordon }]
  - { id: go, approve: { tag: go, message: "Go on?" } }
`));
    const key = ["--vault-key", `${home}/elsewhere`];
    const startedAt = await osctl(["runbook", "run", file, ...key]);
    assert.equal(startedAt.status, 76, startedAt.err);
    const [id = ""] = await ids();
    const why = [id, "--reason", "enough", "--typed", id];
    const without = await osctl(["runbook", "unlock", ...why]);
    assert.match(
      without.err,
      new RegExp(`^The credentials of run "${id}" are not used: `, "m"),
    );
    const given = await osctl(["runbook", "abort", ...why, ...key]);
    assert.equal(given.status, 0, given.err);
    assert.doesNotMatch(given.err, /not used/);
  }));
