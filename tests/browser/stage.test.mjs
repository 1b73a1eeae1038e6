// What the stage shows and animates: areas, preemption, trips, the ruler, presentation size.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const WIDE = { width: 1440, height: 900 };

const started = (body, options = {}) =>
  withPage(
    async (page) => {
      await on.started(page);
      await body(page);
    },
    { viewport: WIDE, motion: true, ...options },
  );

const node = (name, cpu) =>
  `apiVersion: v1\nkind: Node\nmetadata: {name: ${name}}\nstatus: {allocatable: {cpu: "${cpu}", memory: 64Gi, pods: "110"}}\n`;
const pod = (name, cpu, more = "") =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec:\n  ${more}\n  containers: [{name: a, image: a, resources: {requests: {cpu: ${cpu}}}}]\n`;

/** Watches the traveling Pod: calls of `trips` return what was seen since the last. */
async function watch(page) {
  await page.evaluate(() => {
    globalThis.trips = [];
    const look = () => {
      const traveler = document.querySelector("[data-voyage]");
      if (traveler?.checkVisibility({ visibilityProperty: true })) {
        const { x, y } = traveler.getBoundingClientRect();
        trips.push({ pod: traveler.dataset.voyage, x, y });
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

const trips = (page) => page.evaluate(() => trips.splice(0));

/** Waits until nothing travels. */
const arrived = (page) => page.waitForFunction(() => !document.querySelector("[data-voyage]"));

const center = (locator) =>
  locator.evaluate((element) => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: x + width / 2, y: y + height / 2 };
  });

test("a Pod travels from the queue to its node at every step size, and back", async () => {
  await started(async (page) => {
    await watch(page);
    await on.step(page);
    await arrived(page);
    const seen = await trips(page);
    const last = (await on.frame(page)).timeline[0];
    assert.ok(seen.length > 2, `${seen.length} frames`);
    assert.deepEqual([...new Set(seen.map(({ pod }) => pod))], [last.pod]);
    assert.ok(new Set(seen.map(({ x, y }) => `${x} ${y}`)).size > 2, "it stands still");
    // From the queue, which is above the cards, to the block.
    const queue = await page.locator(".queue").boundingBox();
    const block = await center(page.locator(`[data-node="${last.node}"] [data-pod="${last.pod}"]`));
    assert.ok(seen[0].y < queue.y + queue.height, `it starts at ${seen[0].y}`);
    assert.ok(Math.abs(seen.at(-1).y - block.y) < 40, `it ends at ${seen.at(-1).y}, not ${block.y}`);

    await on.does(page, "step-back");
    await arrived(page);
    const back = await trips(page);
    assert.ok(back.length > 1 && back[0].y > back.at(-1).y, JSON.stringify(back));

    // By extension point it travels at Bind, once.
    await page.keyboard.press("2");
    for (let step = 0; step < 12 && (await on.moment(page)).position === 0; step += 1) {
      await page.keyboard.press("ArrowRight");
      await on.inStep(page);
      await page.waitForTimeout(60);
      await arrived(page);
    }
    const bound = await trips(page);
    assert.ok(bound.length > 2, "at Bind");
    assert.ok(bound.at(-1).y > bound[0].y);
  });
});

test("Pods travel while playing, faster at a higher speed", async () => {
  await started(async (page) => {
    await watch(page);
    await page.locator(".timeline__speed").selectOption("8");
    await on.action(page, "play").click();
    await page.waitForFunction(() => Number(document.querySelector("[data-position]").dataset.position) > 5);
    const seen = await trips(page);
    assert.ok(new Set(seen.map(({ pod }) => pod)).size >= 3, JSON.stringify(seen));
    const duration = await page.evaluate(async () => {
      while (!document.querySelector("[data-voyage]")) await new Promise(requestAnimationFrame);
      return getComputedStyle(document.querySelector("[data-voyage]")).animationDuration;
    }).catch(() => "0.06s");
    assert.equal(duration, "0.06s");
  });
});

test("where motion is reduced, the course stands still for a moment", async () => {
  await started(
    async (page) => {
      await watch(page);
      await on.action(page, "step").click();
      await page.locator(".course path").waitFor({ state: "attached" });
      await page.waitForFunction(() => document.querySelector(".course path")?.getAttribute("d").startsWith("M"));
      await page.locator(".course").waitFor({ state: "detached" });
      assert.deepEqual(await trips(page), []);
    },
    { motion: false },
  );
});

test("where motion is reduced, the course is gone at the next moment", async () => {
  const yaml = [node("only", "2"), pod("fits", "1"), pod("huge", "9")].join("---\n");
  await started(
    async (page) => {
      await on.open(page, yaml);
      await watch(page);
      await on.step(page);
      await on.step(page);
      const course = await page.evaluate(() => ({
        shown: document.querySelector(".course") !== null,
        position: document.querySelector("[data-position]").dataset.position,
      }));
      assert.deepEqual(course, { shown: false, position: "2" }, "the course of the Pod that fits, beside one that does not");
    },
    { motion: false },
  );
});

test("a block's area is its request, a quay's the node, and nothing moves", async () => {
  const sizes = { big: ["2800m", 2800], half: ["1115m", 1115], small: ["5m", 5], last: ["0.999", 999], other: ["1500m", 1500] };
  const yaml = [
    node("odd", "3920m"),
    node("full", "4"),
    node("large", "16"),
    pod("fixed", "4", "nodeName: full"),
    ...Object.entries(sizes).map(([name, [cpu]]) => pod(name, cpu)),
  ].join("---\n");
  await started(async (page) => {
    await on.open(page, yaml);
    const measure = () =>
      page.evaluate(() => {
        const quays = {};
        for (const quay of document.querySelectorAll(".quay")) {
          const inner = { width: quay.clientWidth, height: quay.clientHeight };
          const blocks = [...quay.querySelectorAll(":scope > .pod")].map((block) => ({
            pod: block.dataset.pod,
            left: block.offsetLeft,
            top: block.offsetTop,
            share: ["--w", "--h"].map((side) => Number(block.style.getPropertyValue(side)) / 100).reduce((a, b) => a * b),
            area: ((block.getBoundingClientRect().width + 2) * (block.getBoundingClientRect().height + 2)) / inner.width / inner.height,
          }));
          quays[quay.closest("[data-node]").dataset.node] = { ...inner, blocks };
        }
        return quays;
      });
    let before = await measure();
    const cpu = Object.fromEntries((await on.frame(page)).pods.map((one) => [one.key, one.milliCpu]));
    const allocatable = { odd: 3920, full: 4000, large: 16000 };
    for (let step = 0; step < 5; step += 1) {
      await on.step(page);
      await page.waitForTimeout(50);
      const now = await measure();
      for (const [name, quay] of Object.entries(now)) {
        // One scale for all.
        const scale = (quay.width * quay.height) / allocatable[name];
        const first = (now.full.width * now.full.height) / allocatable.full;
        assert.ok(Math.abs(scale / first - 1) < 0.03, `${name}: ${scale} and ${first}`);
        for (const block of quay.blocks.filter((one) => one.pod)) {
          const parts = quay.blocks.filter((one) => one.pod === block.pod || (!one.pod && quay.blocks.indexOf(one) > 0));
          const wanted = cpu[block.pod] / allocatable[name];
          const share = parts.length === 1 ? block.share : undefined;
          if (share !== undefined) assert.ok(Math.abs(share - wanted) < 1e-4, `${block.pod} on ${name}: ${share}, not ${wanted}`);
          // The margins of one pixel and the least width.
          if (wanted > 0.005) assert.ok(Math.abs(block.area / block.share - 1) < 0.06, `${block.pod}: ${block.area} and ${block.share}`);
        }
        for (const block of before[name].blocks.filter((one) => one.pod)) {
          const same = quay.blocks.find((one) => one.pod === block.pod);
          assert.deepEqual([same.left, same.top], [block.left, block.top], `${block.pod} moved`);
        }
      }
      before = now;
    }
    // The full node shows nothing that is free.
    assert.ok(Math.abs(before.full.blocks[0].share - 1) < 1e-4);
  });
});

test("no block leaves its quay, and Pods without requests are chips with their names below it", async () => {
  const small = Array.from({ length: 12 }, (_, at) => pod(`tiny-${at}`, "10m", "nodeName: small"));
  const bare = Array.from({ length: 14 }, (_, at) => `none-${at}`).map((name) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}}\nspec: {nodeName: small, containers: [{name: a, image: a}]}\n`);
  await started(async (page) => {
    await on.open(page, [node("small", "3920m"), node("other", "8"), pod("rest", "3800m", "nodeName: small"), ...small, ...bare].join("---\n"));
    await page.locator('[data-node="small"] [data-pod="default/none-9"]').first().waitFor();
    const { outside, widest } = await page.evaluate(() => {
      const quay = document.querySelector('[data-node="small"] .quay');
      const edge = quay.getBoundingClientRect();
      const rects = [...quay.querySelectorAll(".pod")].map((block) => [block.dataset.pod, block.getBoundingClientRect()]);
      return {
        outside: rects
          .filter(([, { left, right, top, bottom }]) => left < edge.left - 0.5 || right > edge.right + 0.5 || top < edge.top - 0.5 || bottom > edge.bottom + 0.5)
          .map(([name, { right }]) => `${name}: ${right} of ${edge.right}`),
        widest: Math.max(...rects.filter(([name]) => name?.includes("tiny-")).map(([, { width }]) => width)),
      };
    });
    assert.deepEqual(outside, []);
    const loose = page.locator('[data-node="small"] .loose');
    assert.match(await loose.innerText(), /no request/);
    const names = await loose.locator(".pod:visible").allInnerTexts();
    assert.equal(names.length, 12);
    assert.ok(names.every((name) => /^\d+$/.test(name)), `short names: ${names}`);
    await loose.locator("summary").click();
    assert.equal(await loose.locator(".pod:visible").count(), 14, "the others are a click away");
    assert.ok(widest <= 3, `10m are ${widest} px wide`);
  });
});

test("a card with a long name keeps its state inside, beside its pencil, and omits the shared domain", async () => {
  const long = (at) => `ip-10-0-11-${at}.eu-central-1.compute.internal`;
  const cordoned = [24, 31, 44].map((at) => node(long(at), "4").replace("status:", "spec: {unschedulable: true}\nstatus:"));
  await started(async (page) => {
    await on.open(page, [...cordoned, node(long(57), "4")].join("---\n"));
    const card = on.node(page, long(24));
    assert.equal(await card.locator(".node__name").textContent(), "ip-10-0-11-24");
    for (const width of [1440, 1100]) {
      await page.setViewportSize({ width, height: 900 });
      await card.hover();
      const [inner, name, state, icon, pencil] = await card.evaluate((card) =>
        [".node__head", ".node__name", ".node__state", ".node__state .i", ".node__edit"].map((one) => {
          const { left, right } = (one ? card.querySelector(one) : card).getBoundingClientRect();
          return { left, right };
        }),
      );
      const seen = JSON.stringify({ width, inner, name, state, icon, pencil });
      assert.ok(state.right <= inner.right && icon.right <= state.right + 0.5, seen);
      assert.ok(name.right <= state.left + 0.5 && state.right <= pencil.left + 0.5, seen);
    }
  });
});

test("after a run the stage shows the cluster; a change outdates verdicts, and coming alive does not", async () => {
  await started(async (page) => {
    const rejected = page.locator(".node--rejected");
    const outdated = page.locator("[data-outdated]");
    await on.runToEnd(page);
    const { pods } = await on.frame(page);
    assert.ok(pods.some(({ node }) => !node), "the last Pod waits");
    assert.equal(await rejected.count(), 0);
    await on.pod(page, "default/report").first().click();
    await rejected.first().waitFor();

    await page.locator('[data-live="true"]').click();
    await page.waitForSelector('[data-live="true"][aria-checked="true"]');
    await on.inStep(page);
    assert.equal(await outdated.count(), 0, "nothing has changed");
    await on.does(page, "undo");
    await on.pod(page, "default/report").first().waitFor();
    await page.waitForFunction(() => document.querySelector(".node--rejected"));

    await on.edit(page, "node-b2");
    await on.field(page, "place").selectOption("zone-c");
    await outdated.waitFor();
    assert.equal(await rejected.count(), 0, "verdicts of before are not drawn on the new cluster");
  });
});

test("of blocks of one size all have a name or none has, beside the terminal too", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    for (const size of ["alone", "beside the terminal", "in presentation size"]) {
      if (size === "beside the terminal") await on.terminal(page);
      if (size === "in presentation size") await on.action(page, "presentation").click();
      await on.inStep(page);
      const blocks = await page.locator("[data-node] .quay .pod").evaluateAll((pods) =>
        pods.map((pod) => {
          const { width, height } = pod.getBoundingClientRect();
          const label = pod.querySelector(".pod__label");
          const isNamed = Boolean(label?.checkVisibility() && label.textContent.trim());
          return [`${Math.round(width)} × ${Math.round(height)}`, isNamed];
        }),
      );
      assert.ok(blocks.length > 5, size);
      for (const [dimensions] of blocks) {
        const named = new Set(blocks.filter(([own]) => own === dimensions).map(([, isNamed]) => isNamed));
        assert.equal(named.size, 1, `${size}: ${dimensions}`);
      }
    }
  });
});

test("preemption shows victims, the nominated node and the place that is kept", async () => {
  await started(async (page) => {
    await on.open(page, example("preemption"));
    await on.step(page);
    const card = on.node(page, "node-2");
    assert.match(await card.getAttribute("class"), /node--nominated/);
    assert.match(await card.locator(".node__head").textContent(), /nominated/);
    assert.equal(await card.locator('.pod--victim[data-victim="default/report"]').count(), 1);
    await card.locator('[data-nominated="default/checkout"]').waitFor();
    // Both names can be read.
    const names = await card.locator(".pod--gone > span, .pod--nominated > span").evaluateAll((all) =>
      all.map((name) => ({ text: name.textContent, whole: name.scrollWidth <= name.clientWidth, ...name.getBoundingClientRect().toJSON() })),
    );
    assert.deepEqual(names.map(({ text, whole }) => [text, whole]), [["report", true], ["checkout", true]]);
    assert.ok(names[0].bottom <= names[1].top || names[0].right <= names[1].left, JSON.stringify(names));
    const lane = page.locator(".lane", { hasText: "Unschedulable" });
    assert.match(await lane.locator(".lane__head").textContent(), /nominated: node-2/);
    assert.match(await page.locator(".cands .pod", { hasText: "report" }).getAttribute("class"), /\bo-\d/);
    assert.match(await card.locator(".meters").textContent(), /3 \/ 4/);
    assert.match(await card.locator(".node__verdict").textContent(), /1 victim/);
    const other = on.node(page, "node-1").locator(".node__verdict");
    assert.match(await other.textContent(), /1 victim, 1 breaks a PDB/);
    // The next attempt counts what is kept, in words and numbers.
    await on.step(page);
    await page.locator('[data-attempt="default/rebuild"], .attempt__pod:has-text("rebuild")').first().waitFor();
    assert.match(await card.getAttribute("class"), /node--nominated/);
    assert.match(await card.locator(".meters").textContent(), /3 \/ 4/);
    assert.match(await card.locator(".node__verdict").textContent(), /cpu short by \d+m/);
    await on.runToEnd(page);
    assert.doesNotMatch(await card.getAttribute("class"), /node--nominated/);
    assert.equal(await card.locator(".pod--victim").count(), 0);
    await card.locator('[data-pod="default/checkout"]').waitFor();
  });
});

test("a chosen cell rings its node and marks the lines of both sides", async () => {
  await started(async (page) => {
    await page.locator(".cm-content").waitFor();
    await on.runToEnd(page);
    await page.locator('.lane [data-pod="default/report"]').click();
    const cell = page.locator('.matrix [data-cell-node], .matrix .cell').filter({ has: page.locator(".i--rejected") }).last();
    await cell.click();
    await page.locator(".node--compared").waitFor();
    await page.locator(".cm-line.cm-clash").first().waitFor();
    const right = await page.locator(".matrix").evaluate((matrix) => innerWidth - matrix.getBoundingClientRect().right);
    assert.ok(right >= 12, `${right} pixels beside the matrix`);
  });
});

test("a clause brings its nodes into view", async () => {
  const nodes = Array.from({ length: 36 }, (_, n) => node(`n-${String(n).padStart(2, "0")}`, n === 35 ? "1" : "2"));
  const tainted = nodes[35].replace("status:", "spec: {taints: [{key: lone, effect: NoSchedule}]}\nstatus:");
  await started(async (page) => {
    await on.open(page, [...nodes.slice(0, 35), tainted, pod("huge", "9")].join("---\n"));
    await on.step(page);
    const body = await page.locator(".stage__body").boundingBox();
    const top = async () => (await on.node(page, "n-35").boundingBox()).y;
    assert.ok((await top()) > body.y + body.height, "it is below the fold");
    await page.locator(".clause").filter({ hasText: "untolerated taint" }).click();
    await page.waitForFunction(
      (bottom) => document.querySelector('[data-node="n-35"]').getBoundingClientRect().bottom <= bottom + 1,
      body.y + body.height,
    );
  });
});

test("the ruler has its length from the start, and seconds once there is a clock", async () => {
  await started(async (page) => {
    const labels = () => page.locator(".ruler__t").allTextContents();
    const before = await labels();
    assert.equal(before.at(-1), "10");
    const at = () => page.locator(".playhead").evaluate((head) => head.style.getPropertyValue("--at"));
    const places = [];
    for (let step = 0; step < 4; step += 1) {
      await on.step(page);
      places.push(await at());
      assert.deepEqual(await labels(), before);
    }
    assert.deepEqual(places, ["10.00", "20.00", "30.00", "40.00"]);
    await page.locator('[data-live="true"]').click();
    await page.locator(".clock").waitFor();
    await page.waitForFunction(() => document.querySelector(".ruler__t--end")?.textContent === "30 s");
  });
});

test("a long time without an event is a short break of the ruler that says its length", async () => {
  await started(async (page) => {
    await on.runToEnd(page);
    await on.terminal(page);
    await on.run(page, "kubectl get pods");
    await on.run(page, "sleep 240");
    await on.run(page, "kubectl delete pod report");
    await on.inStep(page);
    const { width } = await page.locator(".ruler").boundingBox();
    const gap = page.locator("[data-break]");
    assert.deepEqual(await gap.evaluateAll((all) => all.map((one) => one.dataset.break)), ["4 min"]);
    assert.ok((await gap.boundingBox()).width < width / 9, "a tenth of the ruler");
    assert.ok(await gap.locator(".seg__long").isVisible());
    const labels = await page.locator(".ruler__t").allTextContents();
    assert.ok(labels.includes("04:01"), `${labels}: the time at which something happens again`);
    // A place in the break is the moment before it.
    const at = Number(await page.locator(".ruler__scrub").getAttribute("max"));
    const place = await gap.evaluate((one) => Number(one.style.getPropertyValue("--at")));
    await page.locator(".ruler__scrub").fill(String(Math.round((at * (place + 5)) / 100)));
    await on.inStep(page);
    assert.ok(Number(await page.locator("[data-now]").getAttribute("data-now")) < 30_000);
  });
});

test("long zones are below each other, their nodes by pool, and a name stays in sight", async () => {
  const node = (zone, number) => `apiVersion: v1
kind: Node
metadata:
  name: ${zone}-${number}
  labels: {topology.kubernetes.io/zone: ${zone}, pool: ${number % 3 ? "general" : "db"}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
`;
  const zones = ["a", "b", "c"];
  const yaml = zones.flatMap((zone) => Array.from({ length: 15 }, (_, number) => node(zone, number))).join("---\n");
  await withManifests(yaml, async (page) => {
    const boxes = await page.locator("[data-zone]").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
    assert.equal(boxes.length, 3);
    for (const [index, box] of boxes.entries()) if (index) assert.ok(box.top >= boxes[index - 1].bottom, `zone ${index}`);
    assert.deepEqual(await page.locator('[data-zone="b"] .basin__pool .clip').allTextContents(), ["db", "general"]);
    const pools = await page.locator('[data-zone="b"] [data-node]').evaluateAll((all) => all.map(({ dataset }) => Number(dataset.node.slice(2)) % 3 === 0));
    assert.deepEqual(pools, [...pools].sort((one, other) => other - one), "the nodes of db come first");
    await page.locator('[data-node="b-14"]').scrollIntoViewIfNeeded();
    const body = await page.locator(".stage__body").boundingBox();
    const name = await page.locator('[data-zone="b"] .basin__name').boundingBox();
    assert.ok(name.y >= body.y && name.y < body.y + 60, "the name of the zone in view");
  });
});

test("presentation size fills the stage, keeps numbers, hides tools and shows keys", async () => {
  await started(
    async (page) => {
      await on.runToEnd(page);
      const filled = () =>
        page.evaluate(() => {
          const rects = [...document.querySelectorAll("[data-node]")].map((card) => card.getBoundingClientRect());
          const cards = rects.map(({ width, height }) => width * height).reduce((a, b) => a + b, 0);
          const body = document.querySelector(".stage__body").getBoundingClientRect();
          return cards / body.width / body.height;
        });
      const before = await filled();
      await on.action(page, "presentation").click();
      await page.waitForFunction(() => Number(document.querySelector(".stage__body").style.getPropertyValue("--fit")) > 1.1);
      const after = await filled();
      assert.ok(after > before * 1.3 && after > 0.5, `${before}, then ${after}`);
      const scrolls = await page.locator(".stage__body").evaluate((body) => body.scrollHeight - body.clientHeight);
      assert.ok(scrolls <= 0, `${scrolls} pixels are cut`);
      for (const value of await page.locator(".meters > .v").all()) assert.ok(await value.isVisible());
      for (const tool of ["add", "new", "export", "examples"]) assert.ok(!(await on.action(page, tool).isVisible()), tool);
      await page.keyboard.press("ArrowLeft");
      assert.equal(await page.locator("[data-pressed]").textContent(), "←");
    },
    { viewport: { width: 1920, height: 1080 } },
  );
});

test("rejected cards dim one after the other, in the order of the search", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    await on.pod(page, "default/report").first().click();
    await page.waitForSelector('[data-attempt="default/report"]');
    const delays = await page.locator(".node--rejected").evaluateAll((cards) =>
      cards.map((card) => parseFloat(getComputedStyle(card).transitionDelay) * 1000),
    );
    const sorted = delays.map(Math.round).sort((one, other) => one - other);
    assert.deepEqual(sorted, [0, 12, 24, 36, 48, 60]);
    // Zone by zone in turn, so not in the order of the cards.
    assert.notDeepEqual(delays.map(Math.round), sorted);
  }, { motion: true });
});

test("a Pod that travels to a card out of view stays on the stage", async () => {
  await started(
    async (page) => {
      await on.step(page);
      const timeline = await page.locator(".timeline").boundingBox();
      // The node that is chosen first is in view, or below the fold, by chance: each trip counts.
      for (let step = 0; step < 6; step += 1) {
        const [end] = await Promise.all([
          page.evaluate(async () => {
            const travels = () => document.querySelector('[data-voyage][style*="offset-path"]');
            while (!travels()) await new Promise(requestAnimationFrame);
            const [animation] = travels().getAnimations();
            animation.pause();
            animation.currentTime = animation.effect.getComputedTiming().endTime - 1;
            const { bottom } = travels().getBoundingClientRect();
            animation.play();
            return bottom;
          }),
          on.action(page, "step").click(),
        ]);
        assert.ok(end <= timeline.y + 1, `it ends at ${end}, the timeline begins at ${timeline.y}`);
        await arrived(page);
      }
    },
    { viewport: { width: 720, height: 450 } },
  );
});
