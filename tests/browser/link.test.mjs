// Links: made in one browser, opened equal in another; damaged ones are refused with a message, and nothing is lost.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DIST, example, withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const EXAMPLES = readdirSync(join(DIST, "scenarios")).flatMap((file) => /^([^.]+)\.yaml$/.exec(file)?.[1] ?? []);

/** Everything of the session that a view shows. */
const shown = async (page) => ({ frame: await on.frame(page), text: await on.text(page), ...(await on.moment(page)) });

/** The link to what the page shows. */
async function link(page) {
  await on.does(page, "share");
  const field = on.field(page, "link");
  await field.waitFor();
  const address = await field.inputValue();
  await on.does(page, "close");
  return address;
}

const fragment = (address) => address.slice(address.indexOf("#"));

/** Opens a fragment in a new browser. */
const opened = (hash, body) =>
  withPage(
    async (page, url, more) => {
      await on.started(page);
      await body(page, url, more);
    },
    { path: hash },
  );

async function arrived(page) {
  await page.waitForFunction(() => !Object.keys(localStorage).some((name) => name.endsWith(".failed")));
  await on.inStep(page);
}

test("every example's link opens equal in another browser", async () => {
  const links = new Map();
  await withPage(async (page) => {
    await on.started(page);
    for (const name of EXAMPLES) {
      await on.open(page, example(name));
      for (let count = 0; count < 3; count += 1) {
        if (await on.action(page, "step").isEnabled()) await on.step(page);
      }
      await on.inStep(page);
      const address = await link(page);
      assert.ok(address.length <= 2000 || name === "dump", `${name}: ${address.length} characters`);
      links.set(name, [address, await shown(page)]);
    }
  });
  await withPage(async (page) => {
    await on.started(page);
    for (const [name, [address, before]] of links) {
      await page.evaluate((hash) => (location.hash = hash), fragment(address));
      await page.waitForFunction((digest) => document.querySelector("[data-digest]").dataset.digest === digest, before.digest);
      await arrived(page);
      const after = await shown(page);
      if (name === "dump") {
        // A link leaves out what says more of a cluster than scheduling needs. The rest is written anew.
        const words = (text) => text.replaceAll(/["']/g, "").split(/\s+/);
        const known = new Set(words(before.text));
        assert.deepEqual(words(after.text).filter((word) => !known.has(word)), []);
        after.text = before.text;
      }
      assert.deepEqual(after, before, name);
    }
  });
});

test("a living cluster and a fork open equal, by their changes", async () => {
  const links = [];
  let transcript;
  await withPage(async (page) => {
    await on.started(page);
    await on.terminal(page);
    await on.run(page, "kubectl scale deployment web --replicas 3");
    await on.run(page, "kubectl wait --for=condition=Available deployment/web --timeout 60s");
    await page.waitForSelector('[data-action="play"][aria-label="Play"]');
    await on.inStep(page);
    transcript = await page.locator("[data-printed]").allInnerTexts();
    assert.equal(transcript.length, 2);
    links.push([await link(page), await shown(page), transcript]);
  });
  await withPage(async (page) => {
    await on.started(page);
    for (let count = 0; count < 4; count += 1) await on.step(page);
    await on.does(page, "step-back");
    const first = await on.text(page);
    await on.field(page, "manifests").fill(first.replace("replicas: 6", "replicas: 2"));
    await page.waitForFunction(() => globalThis.berth.frame().fork?.changes.length > 0);
    assert.notEqual(await on.text(page), first);
    await on.step(page);
    await on.inStep(page);
    links.push([await link(page), await shown(page)]);
  });
  for (const [address, before, printed = []] of links) {
    await opened(fragment(address), async (page) => {
      await arrived(page);
      assert.deepEqual(await shown(page), before);
      assert.deepEqual(await page.locator("[data-printed]").allInnerTexts(), printed);
    });
  }
});

test("a link shows the chosen Pod and the cell, grouped and as large as they were", async () => {
  const cell = '[data-cell$="/NodeResourcesFit"][data-verdict="Unschedulable"]';
  let address;
  let before;
  let look;
  const stage = async (page) => [await page.locator(".stage__group select").inputValue(), await page.locator(".stage__zoom").innerText()];
  // The lines of the manifests are found a moment later.
  const arithmetic = (page) => page.locator("[data-arithmetic]", { hasText: /line \d/ }).textContent();
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    await on.pod(page, "default/report").first().click();
    await page.locator(cell).first().click();
    await page.locator("[data-arithmetic]").waitFor();
    before = await arithmetic(page);
    await page.locator(".stage__group select").selectOption("disktype");
    await page.locator(".stage__head").getByRole("button", { name: "Zoom out" }).click();
    look = await stage(page);
    assert.equal(look[0], "disktype");
    address = await link(page);
  });
  await opened(fragment(address), async (page) => {
    await arrived(page);
    await page.locator('[data-attempt="default/report"]').waitFor({ state: "attached" });
    await page.locator("[data-arithmetic]").waitFor();
    assert.equal(await arithmetic(page), before);
    assert.deepEqual(await stage(page), look);
  });
});

test("a new link in the address opens, and the way back leads to what was there", async () => {
  await withManifests(example("taints"), async (page, url) => {
    const address = await link(page);
    await on.open(page, example("storage"));
    await on.step(page);
    await on.inStep(page);
    const mine = await shown(page);
    await page.evaluate((hash) => (location.hash = hash), fragment(address));
    const offer = page.locator('[data-link="opened"]');
    await offer.waitFor();
    await arrived(page);
    const [{ y, height }, key] = [await offer.boundingBox(), await page.locator(".stage > .key").boundingBox()];
    assert.ok(y + height <= key.y, "the offer leaves the key of the stage in sight");
    assert.equal(await on.text(page), example("taints"));
    await on.does(page, "back");
    await arrived(page);
    assert.deepEqual(await shown(page), mine);
    assert.ok(url);
  });
});

test("a link that arrives during playback does not play", async () => {
  await withManifests(example("taints"), async (page) => {
    const address = await link(page);
    await on.open(page, example("default"));
    await on.does(page, "play");
    await page.waitForSelector('[data-action="play"][aria-label="Pause"]');
    await page.evaluate((hash) => (location.hash = hash), fragment(address));
    await page.locator('[data-link="opened"]').waitFor();
    await arrived(page);
    await page.waitForSelector('[data-action="play"][aria-label="Play"]');
    await page.waitForTimeout(1500);
    assert.equal((await on.moment(page)).position, 0);
  });
});

test("a link with changes of a later version offers its manifests", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const mine = await shown(page);
    await page.evaluate(async (text) => {
      const { encode } = await import("./link.js");
      const change = { before: [0, 0], what: { mutation: { frobnicate: {} } } };
      location.hash = `#1.${await encode(JSON.stringify({ f: [["a.yaml", text]], j: [change] }))}`;
    }, example("taints"));
    const refused = page.locator('[data-link="refused"]');
    await refused.waitFor();
    assert.match(await refused.innerText(), /^A later version of Berth made this link/);
    assert.deepEqual(await shown(page), mine);
    await on.does(page, "salvage");
    await page.waitForFunction((text) => document.querySelector('[data-field="manifests"]').value === text, example("taints"));
  });
});

test("damaged, cut, late and huge links are refused, and nothing is lost", async () => {
  await withManifests(example("taints"), async (page, _, { context }) => {
    const hash = fragment(await link(page));
    await on.open(page, example("storage"));
    const mine = await shown(page);
    const heap = async () => (await session.send("Runtime.getHeapUsage")).usedSize;
    const session = await context.newCDPSession(page);
    const before = await heap();
    const bomb = await page.evaluate(async () => {
      const { encode } = await import("./link.js");
      return `#1.${await encode(" ".repeat(100 << 20))}`;
    });
    const bad = {
      cut: hash.slice(0, hash.length / 2),
      wrong: `${hash.slice(0, 90)}${hash[90] === "A" ? "B" : "A"}${hash.slice(91)}`,
      late: `#7.${hash.slice(3)}`,
      empty: "#1.",
      bomb,
    };
    for (const [name, hash] of Object.entries(bad)) {
      await page.evaluate((hash) => (location.hash = hash), hash);
      const refused = page.locator('[data-link="refused"]');
      await refused.waitFor();
      assert.doesNotMatch(await refused.innerText(), /panicked|undefined/, name);
      assert.deepEqual(await shown(page), mine, name);
      if (name === "cut") {
        await on.does(page, "salvage");
        await page.waitForFunction((text) => text.startsWith(globalThis.berth.sources?.()?.[0]?.text ?? ""), "");
        assert.ok(example("taints").startsWith((await on.text(page)).slice(0, 200)));
        await on.open(page, example("storage"));
        continue;
      }
      await on.does(page, "dismiss-link");
    }
    // 100 MB were refused while they unfolded.
    assert.ok((await heap()) - before < 80 << 20);
  });
});

test("an address with nothing to open is reported, and the page starts as usual", async () => {
  let begins;
  await withPage(async (page) => {
    await on.started(page);
    begins = await on.text(page);
  });
  const refused = (page) => page.locator('[data-link="refused"]');
  for (const [path, says] of [["?example=nonsuch", on.notice], ["#1.eJw", refused]]) {
    await withPage(
      async (page) => {
        await on.started(page);
        await says(page).waitFor();
        if (says === on.notice) assert.match(await says(page).innerText(), /No example is named “nonsuch”/);
        assert.equal(await on.text(page), begins);
      },
      // The server has no such example.
      { path, allowed: (problem) => problem.includes("nonsuch") || problem.includes("404") },
    );
  }
});

test("what is pasted elsewhere is an element, a frame, or a code block", async () => {
  await withPage(async (page, url) => {
    await on.started(page);
    const address = await link(page);
    await on.does(page, "share");
    await page.locator('[data-share="embed"]').click();
    const snippet = async (kind) => {
      await page.locator(`[data-snippet="${kind}"]`).click();
      await page.locator(`[data-snippet="${kind}"][aria-checked="true"]`).waitFor();
      return on.field(page, "snippet").inputValue();
    };
    assert.ok((await snippet("HTML")).includes(`<berth-playground src="${fragment(address)}">`));
    const frame = await snippet("iframe");
    const source = await page.evaluate((html) => new DOMParser().parseFromString(html, "text/html").querySelector("iframe").src, frame);
    assert.equal(source, `${url}?embed${fragment(address)}`);
    const block = await snippet("Markdown");
    assert.equal(block, `\`\`\`yaml berth\n${(await on.text(page)).trimEnd()}\n\`\`\`\n`);
    await on.field(page, "snippet").focus();
    assert.equal(await page.evaluate(() => String(getSelection())), block);
  });
});

test("what is too long for a link is offered as a file, and what to leave out", async () => {
  await withPage(async (page) => {
    await on.started(page);
    // Comments that do not compress.
    let seed = 1;
    const digits = Array.from({ length: 2000 }, () => (seed = (seed * 48271) % 2147483647).toString(36));
    const text = `${example("taints")}# ${digits.join("\n# ")}\n`;
    await on.open(page, text);
    await on.does(page, "share");
    const note = page.locator(".share__file");
    await note.waitFor();
    assert.match(await note.innerText(), /Comments in the YAML/);
    const download = page.waitForEvent("download");
    await on.does(page, "save-file");
    assert.equal(readFileSync(await (await download).path(), "utf8"), text);
    await page.locator('[data-part="Comments"]').uncheck();
    await note.waitFor({ state: "detached" });
    assert.ok((await on.field(page, "link").inputValue()).length < 8000);
  });
});

test("the dialog counts all documents, and has a row for comments only if there are some", async () => {
  await withPage(async (page) => {
    await on.started(page);
    const comments = page.locator('[data-part="Comments"]');
    await on.does(page, "share");
    await comments.waitFor();
    await page.keyboard.press("Escape");
    const note = "# none ".repeat(250);
    const items = Array.from({ length: 700 }, (_, at) => `- {apiVersion: v1, kind: Node, metadata: {name: n-${at}, annotations: {note: "${note}"}}}\n`);
    const buffer = Buffer.from(`apiVersion: v1\nkind: List\nitems:\n${items.join("")}`);
    await on.field(page, "files").setInputFiles({ name: "dump.yaml", mimeType: "application/yaml", buffer });
    await page.waitForFunction(() => document.querySelectorAll("[data-node]").length > 5);
    await on.inStep(page);
    await on.does(page, "share");
    await page.locator(".holds", { hasText: "700 documents, 700 nodes" }).waitFor();
    assert.equal(await comments.count(), 0);
  });
});

test("one thousand damaged characters: each link is refused or equal", async () => {
  await withPage(async (page) => {
    const counts = await page.evaluate(async (text) => {
      const { encode, decode } = await import("./link.js");
      const json = JSON.stringify({ f: [["scenario.yaml", text]] });
      const payload = await encode(json);
      const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_%=";
      let state = 1;
      const random = (bound) => (state = (state * 48271) % 2147483647) % bound;
      const counts = { refused: 0, equal: 0, other: 0 };
      for (let round = 0; round < 1000; round += 1) {
        const at = random(payload.length);
        const damaged = payload.slice(0, at) + letters[random(letters.length)] + payload.slice(at + 1);
        const { text, problem } = await decode(damaged, 1 << 25);
        counts[problem ? "refused" : text === json ? "equal" : "other"] += 1;
      }
      return counts;
    }, example("zone-spread"));
    assert.equal(counts.other, 0);
    assert.ok(counts.refused > 900, JSON.stringify(counts));
  });
});

test("parts that are left out make the link shorter, and still open", async () => {
  let short;
  await withPage(async (page) => {
    await on.started(page);
    await on.does(page, "share");
    const whole = await on.field(page, "link").inputValue();
    await page.locator('[data-part="Comments"]').uncheck();
    await page.waitForFunction(
      (before) => {
        const field = document.querySelector('[data-field="link"]');
        return field && field.value !== before;
      },
      whole,
    );
    short = await on.field(page, "link").inputValue();
    assert.ok(short.length < whole.length, `${short.length} of ${whole.length}`);
  });
  await opened(fragment(short), async (page) => {
    await arrived(page);
    const text = await on.text(page);
    assert.doesNotMatch(text, /^#/m);
    assert.equal((await on.frame(page)).problems.filter((problem) => problem.severity === "error").length, 0);
  });
});
