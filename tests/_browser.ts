/** A real browser that looks at a page. */

export interface Look {
  /** Width of the window in pixels, default 1100. */
  readonly width?: number;
  /** Height of the window in pixels, default 900. */
  readonly height?: number;
  /** True for a reader who prefers dark pages. */
  readonly dark?: boolean;
}

const browser = "chromium";

/** Runs the browser on a page; gives the document as it has it then. */
async function open(
  html: string,
  { width = 1100, height = 900, dark = false }: Look,
): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/page.html`, html);
    const { stdout } = await new Deno.Command(browser, {
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--hide-scrollbars",
        `--user-data-dir=${folder}/profile`,
        `--window-size=${width},${height}`,
        `--blink-settings=preferredColorScheme=${dark ? 0 : 1}`,
        "--dump-dom",
        `file://${folder}/page.html`,
      ],
      stderr: "null",
      signal: AbortSignal.timeout(60_000),
    }).output();
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/**
 * Gives the document as the browser understood it.
 *
 * @param html The page.
 */
export async function renderDom(html: string): Promise<string> {
  return await open(html, {});
}

/**
 * Gives what a script finds in a page; the page itself may forbid scripts.
 *
 * @param html The page.
 * @param expression JavaScript whose value is JSON.
 * @param look How the page is checked.
 */
export async function measure(
  html: string,
  expression: string,
  look: Look = {},
): Promise<unknown> {
  const script =
    `<script>const found = JSON.stringify(${expression}); document.body.textContent = "";
document.body.setAttribute("data-found", encodeURIComponent(found));</script></body>`;
  const page = html.replace(/<meta http-equiv[^>]*>/, "")
    .replace("</body>", () => script);
  const out = await open(page, look);
  const found = /data-found="([^"]*)"/.exec(out)?.[1];
  if (found === undefined) throw new Error(`The script failed:\n${out}`);
  return JSON.parse(decodeURIComponent(found));
}

/** Expression for {@linkcode measure}: texts of timelines that stand over each other, or outside of their timeline. */
export const misplaced = `(() => {
  const bad = [];
  for (const timeline of document.querySelectorAll(".timeline")) {
    const outer = timeline.getBoundingClientRect();
    const texts = [...timeline.querySelectorAll("strong, .bar, .number, .axis span")]
      .map((one) => ({ text: one.textContent, box: one.getBoundingClientRect() }));
    texts.forEach(({ text, box }, i) => {
      const isOut = box.left < outer.left - 1 || box.right > outer.right + 1 ||
        box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
      if (isOut) bad.push("outside: " + text);
      for (const other of texts.slice(i + 1)) {
        const wide = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const high = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (wide > 3 && high > 4) bad.push(text + " over " + other.text);
      }
    });
  }
  return bad;
})()`;
