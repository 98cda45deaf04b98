import assert from "node:assert/strict";
import { fetchAsset } from "../../../provisioners/qemu/assets.ts";
import { withFolder } from "../../_folder.ts";

const content = Uint8Array.from({ length: 200_000 }, (_, at) => at * 7);
const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", content))
  .toHex();
const signal = new AbortController().signal;

/** A server of one file, whose first answer may end early. */
async function withServer(
  options: { readonly breaksAt?: number; readonly published?: string },
  test: (url: string, requests: readonly string[]) => Promise<void>,
): Promise<void> {
  const requests: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    (request) => {
      const { pathname } = new URL(request.url);
      const range = request.headers.get("range");
      requests.push(`${pathname}${range ? ` ${range}` : ""}`);
      if (pathname.endsWith(".sha256")) {
        return options.published === undefined
          ? new Response("", { status: 404 })
          : new Response(`${options.published}  file\n`);
      }
      const from = Number(/bytes=(\d+)-/.exec(range ?? "")?.[1] ?? 0);
      if (from >= content.length) return new Response("", { status: 416 });
      const headers = {
        etag: '"one"',
        "content-length": String(content.length - from),
      };
      const breaksAt = range === null ? options.breaksAt : undefined;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(content.slice(from, breaksAt));
        },
        async pull(controller) {
          if (breaksAt === undefined) return controller.close();
          // Sent bytes are on their way.
          await new Promise((resolve) => setTimeout(resolve, 50));
          controller.error(new Error("broken"));
        },
      });
      return new Response(body, { headers, status: from > 0 ? 206 : 200 });
    },
  );
  try {
    await test(
      `http://127.0.0.1:${server.addr.port}/image/v1/os.iso`,
      requests,
    );
  } finally {
    await server.shutdown();
  }
}

Deno.test("fetchAsset downloads once, and again when the file has changed", async () => {
  await withServer(
    { published: sha256 },
    (url, requests) =>
      withFolder({}, async (cache) => {
        const path = await fetchAsset(url, { cache, signal });
        assert.deepEqual(await Deno.readFile(path), content);
        assert.equal(await fetchAsset(url, { cache, signal }), path);
        assert.equal(requests.length, 2);
        await Deno.writeTextFile(path, "broken", { append: true });
        await fetchAsset(url, { cache, signal });
        assert.deepEqual(await Deno.readFile(path), content);
        assert.equal(requests.length, 4);
      }),
  );
});

Deno.test("fetchAsset resumes a download that was interrupted", async () => {
  await withServer(
    { breaksAt: 120_000 },
    (url, requests) =>
      withFolder({}, async (cache) => {
        await assert.rejects(fetchAsset(url, { cache, signal }), {
          message: `Cannot download ${url}: the connection ended early`,
          hint: "Run the command again to resume the download",
        });
        const path = await fetchAsset(url, { cache, signal });
        assert.deepEqual(await Deno.readFile(path), content);
        assert.equal(requests.at(-1), "/image/v1/os.iso bytes=120000-");
        assert.deepEqual(
          (await Array.fromAsync(Deno.readDir(cache))).length,
          2,
        );
      }),
  );
});

Deno.test("fetchAsset downloads once for all that want a file at the same time", async () => {
  await withServer(
    {},
    (url, requests) =>
      withFolder({}, async (cache) => {
        const paths = await Promise.all(
          [1, 2, 3].map(() => fetchAsset(url, { cache, signal })),
        );
        assert.equal(new Set(paths).size, 1);
        assert.deepEqual(await Deno.readFile(paths[0] ?? ""), content);
        assert.deepEqual(requests, [
          "/image/v1/os.iso.sha256",
          "/image/v1/os.iso",
        ]);
        const left = await Array.fromAsync(Deno.readDir(cache));
        assert.equal(left.length, 2);
      }),
  );
});

Deno.test("fetchAsset starts again where nothing is left to resume", async () => {
  await withServer(
    { breaksAt: 120_000 },
    (url, requests) =>
      withFolder({}, async (cache) => {
        await assert.rejects(fetchAsset(url, { cache, signal }));
        // Killed between the last byte and the end.
        for await (const { name } of Deno.readDir(cache)) {
          if (!name.endsWith(".part")) continue;
          await Deno.writeFile(`${cache}/${name}`, content);
        }
        await assert.rejects(fetchAsset(url, { cache, signal }));
        const path = await fetchAsset(url, { cache, signal });
        assert.deepEqual(await Deno.readFile(path), content);
        assert.deepEqual(
          requests.filter((one) => !one.endsWith(".sha256")).slice(1),
          [
            "/image/v1/os.iso bytes=200000-",
            "/image/v1/os.iso",
            "/image/v1/os.iso bytes=120000-",
          ],
        );
      }),
  );
});

Deno.test("fetchAsset refuses what is not as published, and takes paths as they are", async () => {
  const published = "0".repeat(64);
  await withServer({ published }, (url) =>
    withFolder({}, async (cache) => {
      await assert.rejects(fetchAsset(url, { cache, signal }), {
        message:
          `Cannot use ${url}: its SHA-256 is ${sha256}, the server publishes ${published}`,
      });
      assert.deepEqual(await Array.fromAsync(Deno.readDir(cache)), []);
      assert.equal(await fetchAsset("/os.iso", { cache, signal }), "/os.iso");
      await assert.rejects(
        fetchAsset("http://127.0.0.1:9/os.iso", { cache, signal }),
        {
          message:
            "Cannot download http://127.0.0.1:9/os.iso.sha256: the server cannot be reached",
        },
      );
    }));
});
