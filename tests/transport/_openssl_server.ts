/** A TLS server in which nothing is ours. */

import {
  type CertificateAuthority,
  serverPair,
  toCaPem,
} from "./_certificates.ts";
import type { BareServer } from "./_http2_server.ts";

/** A TLS server that says why it refuses a client, as nodes do. */
export async function opensslServer(
  cluster: CertificateAuthority,
): Promise<BareServer> {
  const folder = await Deno.makeTempDir();
  const { crt, key } = await serverPair(cluster);
  await Deno.writeTextFile(`${folder}/pair.pem`, crt + key);
  await Deno.writeTextFile(`${folder}/ca.pem`, toCaPem(cluster));
  const server = new Deno.Command("openssl", {
    cwd: folder,
    args:
      "s_server -accept 127.0.0.1:0 -cert pair.pem -CAfile ca.pem -Verify 1 -verify_return_error -alpn h2"
        .split(" "),
    stdin: "piped", // it ends with its input
    stdout: "piped",
    stderr: "null",
  }).spawn();
  let text = "";
  for await (const chunk of server.stdout.values({ preventCancel: true })) {
    text += new TextDecoder().decode(chunk);
    if (/ACCEPT \S+\n/.test(text)) break;
  }
  const [, endpoint = ""] = /ACCEPT (\S+)\n/.exec(text) ?? [];
  return {
    endpoint,
    async [Symbol.asyncDispose]() {
      server.kill("SIGKILL");
      await server.stdin.close();
      await server.stdout.cancel();
      await server.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}
