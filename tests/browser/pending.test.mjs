// What the page says about Pods that wait: the queue's lanes, the board of all of them, and those that the scheduler
// never tries.
import assert from "node:assert/strict";
import { test } from "node:test";
import { example, withManifests, withPage } from "./harness.mjs";
import { PENDING } from "./pending.mjs";
import * as on from "./steps.mjs";

const group = (page, pod) => page.locator(`[data-group="${pod}"]`);

test("all pending Pods are on a board, by cause, with a verified fix", async () => {
  await withManifests(PENDING, async (page) => {
    await on.runToEnd(page);
    // Lanes without Pods leave the room to the one that has them.
    const lanes = await page.locator(".queue .lane").evaluateAll((lanes) => lanes.map((lane) => lane.getBoundingClientRect().width));
    assert.ok(lanes[1] > 2 * lanes[0], `widths of the lanes: ${lanes}`);
    await on.action(page, "pending").first().click();
    const board = page.locator("[data-board]");
    assert.equal(await board.getAttribute("data-board"), "15");
    assert.equal(await page.locator(".group").count(), 4);
    const first = page.locator(".group").first();
    assert.match(await first.textContent(), /^12/);
    assert.match(await first.locator(".group__cause").textContent(), /^2 nodes have at most \d+ CPU, even when empty; it asks \d+\.$/);
    // Each fix was run: the Pod goes to a node with it.
    await first.locator("[data-nearest]").waitFor();
    const single = group(page, "shop/db-only");
    await single.locator("[data-nearest]").waitFor();
    assert.match(await group(page, "shop/migration").textContent(), /Waits for the gate quota\.example\.com\/approved/);
    assert.match(await group(page, "ml/fit-model").textContent(), /Belongs to the scheduler volcano/);

    await on.field(page, "pending").fill("volcano");
    assert.equal(await page.locator(".group").count(), 1);
    await on.field(page, "pending").fill("");
    await single.locator('[data-action="try-nearest"]').click();
    await on.inStep(page);
    await page.waitForFunction(() => globalThis.berth.frame().pods.find(({ key }) => key === "shop/db-only").node);
    assert.equal(await board.count(), 0);
  });
});

test("a Pod that the scheduler never tries says why", async () => {
  await withManifests(PENDING, async (page) => {
    await on.runToEnd(page);
    const unexplained = page.locator("[data-unexplained]");
    await on.pod(page, "shop/migration").first().click();
    await unexplained.waitFor();
    assert.equal(
      await unexplained.textContent(),
      "shop/migration waits for the gate quota.example.com/approved; remove it and it queues.",
    );
    await page.locator('[data-fix="removeGates"]').waitFor();
    await on.pod(page, "ml/fit-model").first().click();
    await page.waitForFunction(() => document.querySelector("[data-unexplained]")?.textContent.includes("volcano"));
    assert.equal(await page.locator('[data-fix="removeGates"]').count(), 0);
  });
});

test("a gate's removal is verified in Explain and on the board, and tried on a fork", async () => {
  await withManifests(PENDING, async (page) => {
    await on.runToEnd(page);
    const sentence = "Remove the scheduling gate quota.example.com/approved from Pod shop/migration";
    await on.pod(page, "shop/migration").first().click();
    const fix = page.locator('[data-fix="removeGates"]');
    assert.ok((await fix.textContent()).startsWith(sentence));
    await on.action(page, "board").click();
    const nearest = page.locator('[data-group="shop/migration"] [data-nearest="removeGates"]');
    assert.ok((await nearest.textContent()).startsWith(sentence));
    await nearest.locator('[data-action="try-nearest"]').click();
    await page.locator("[data-fork]").waitFor();
    await page.waitForFunction(() => globalThis.berth.frame().fork?.tried);
    await on.inStep(page);
    const { pods, fork } = await on.frame(page);
    assert.ok(pods.find(({ key }) => key === "shop/migration").node);
    assert.deepEqual(fork.changes.map(({ path }) => path), ["spec.schedulingGates"]);
  });
});

test("what a Pod asks for, and a fix's new node, name the GPU", async () => {
  await withManifests(example("taints"), async (page) => {
    await on.runToEnd(page);
    await on.pod(page, "default/train").first().click();
    await page.waitForSelector('[data-attempt="default/train"]');
    assert.match(await page.locator("[data-asks]").textContent(), /1 nvidia\.com\/gpu/);
    await page.waitForSelector('[data-fixes][data-done="true"]');
    const fixes = await page.locator('[data-fix="addNode"]').allTextContents();
    assert.ok(fixes.some((text) => text.includes("1 nvidia.com/gpu")), fixes.join("\n"));
  });
});

test("blocks and chips show what tells Pods and nodes apart", async () => {
  await withManifests(PENDING.replaceAll('"6"', "100m").replaceAll("{pool:", "{arch: amd64, pool:"), async (page) => {
    await on.runToEnd(page);
    const labels = await page.locator(".node .pod__label").evaluateAll((all) =>
      all.map((label) => {
        const shown = (element, pseudo) => parseFloat(getComputedStyle(element, pseudo).width) > 1;
        const [name] = label.children;
        return {
          name: name.textContent,
          full: name.getBoundingClientRect().width > 1,
          cut: name.getBoundingClientRect().width > 1 && name.scrollWidth > name.clientWidth + 1,
          last: shown(label, "::after"),
        };
      }),
    );
    assert.ok(labels.length >= 12);
    for (const { name, full, cut, last } of labels) {
      assert.ok(!name.includes("/"), name);
      assert.ok(!cut, `${name} is cut`);
      assert.ok(!(full && last), `${name} is shown twice`);
    }
    const chips = await page.locator('[data-node="ip-2"] .chip').allTextContents();
    assert.equal(chips[0], "pool=db");
  });
});

test("the board is grouped by namespace, and copied as Markdown", async () => {
  await withPage(async (page, url, { context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: new URL(url).origin });
    await on.started(page);
    await on.open(page, PENDING);
    await on.runToEnd(page);
    await on.action(page, "pending").first().click();
    const headings = page.locator(".groups__of");
    assert.equal(await headings.count(), 0);
    await page.locator("[data-group-by] button", { hasText: "Namespace" }).click();
    assert.deepEqual(await headings.allTextContents(), ["ml", "shop"]);
    await page.locator("[data-nearest]").first().waitFor({ timeout: 60_000 });
    await on.action(page, "copy-pending").click();
    await on.notice(page).waitFor();
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(copied, /^## Pending Pods: 15 Pods, \d causes\n/);
    assert.match(copied, /- `shop\/migration`/);
    assert.match(copied, /Nearest fix: /);
  });
});

test("a fix is tried for its whole group, and says for how many it helps", async () => {
  await withManifests(PENDING.replace("replicas: 12", "replicas: 5").replace('cpu: "6"', 'cpu: "2500m"'), async (page) => {
    await on.runToEnd(page);
    // The board opens where nothing is hidden, too.
    await on.action(page, "pending-why").click();
    const largest = page.locator(".group").first();
    assert.match(await largest.textContent(), /^4/);
    await largest.locator("[data-nearest]").waitFor({ timeout: 60_000 });
    assert.equal(await largest.locator("[data-helped]").getAttribute("data-helped"), "4");
    assert.match(await largest.locator(".fix__gain").textContent(), /4 of 4/);
    await largest.locator('[data-action="try-nearest"]').click();
    await on.inStep(page);
    await page.waitForFunction(() => {
      const reindex = globalThis.berth.frame().pods.filter(({ key }) => key.startsWith("shop/reindex-"));
      return reindex.length === 5 && reindex.every(({ node }) => node);
    });
  });
});

test("the board's search lights the nodes that it finds", async () => {
  await withManifests(PENDING, async (page) => {
    await on.runToEnd(page);
    await on.action(page, "board").click();
    const lit = () => page.locator(".node--lit").evaluateAll((nodes) => nodes.map((node) => node.dataset.node));
    await on.field(page, "pending").fill("ip-2");
    assert.deepEqual(await lit(), ["ip-2"]);
    await on.field(page, "pending").fill("");
    assert.deepEqual(await lit(), []);
  });
});

test("what if: a node is drained, a zone is lost, nodes are added, each on a fork", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    const nodes = async () => (await on.frame(page)).nodes.length;
    const [before, digest] = [await nodes(), (await on.moment(page)).digest];
    const asked = async (what) => {
      await on.action(page, "board").click();
      await page.locator(`[data-what-if="${what}"]`).click();
      await page.locator(`[data-trial="${what}"]`).waitFor();
    };
    const tried = async () => {
      await on.action(page, "try-what-if").click();
      await page.locator("[data-fork]").waitFor();
      await page.waitForFunction(() => globalThis.berth.frame().fork?.tried);
      await on.inStep(page);
      return (await on.frame(page)).fork;
    };
    const back = async () => {
      await on.action(page, "back-to-first-run").click();
      await on.inStep(page);
      assert.equal((await on.moment(page)).digest, digest);
    };
    await asked("drain");
    await on.field(page, "what-if-node").fill("node-b1");
    const drained = await tried();
    assert.ok(drained.different > 0);
    const [{ type, plan }] = drained.changes;
    assert.deepEqual([type, plan.node, drained.changes.length], ["drained", "node-b1", 1]);
    const change = page.locator('[data-change="0"]');
    assert.match(await change.textContent(), new RegExp(`Drain node-b1: ${plan.replaced.length} Pods? evicted`));
    assert.equal(await change.locator('[data-drain="replaced"]').count(), 1);
    // Its lines are below each other, and leave room for what changes.
    await page.setViewportSize({ width: 1440, height: 900 });
    const lines = await change.locator("[data-drain]").evaluateAll((all) =>
      all.map((line) => {
        const { top, bottom, width } = line.getBoundingClientRect();
        return { top, bottom, width };
      }),
    );
    for (const [at, { top, width }] of lines.entries()) {
      assert.ok(width > 200 && (at === 0 || top >= lines[at - 1].bottom - 1), JSON.stringify(lines));
    }
    const next = await page.locator(".newly, .diff").first().boundingBox();
    assert.ok(next.y < 450, `what changes begins at ${next.y}`);
    await on.action(page, "undo-change").click();
    await page.locator("[data-fork]").waitFor({ state: "detached" });
    await on.inStep(page);
    assert.equal((await on.moment(page)).digest, digest);
    await asked("drain");
    await on.field(page, "what-if-node").fill("node-b1");
    await tried();
    assert.equal((await on.frame(page)).pods.filter(({ node }) => node === "node-b1").length, 0);
    await back();
    await asked("lose");
    await on.field(page, "what-if-node").fill("topology.kubernetes.io/zone=zone-c");
    await tried();
    assert.match(await change.textContent(), /Lose zone-c: 2 nodes with \d+ Pods/);
    // The answer comes first: who waits now, by workload.
    const { waiting } = (await on.frame(page)).fork;
    const more = waiting.reduce((sum, { pods }) => sum + pods, 0);
    const newly = page.locator("[data-waiting]");
    assert.ok(more > 0);
    assert.equal(await newly.getAttribute("data-waiting"), String(more));
    assert.match(await newly.locator("p").first().textContent(), new RegExp(`^${more} more`));
    assert.equal(await newly.locator("li").count(), waiting.length);
    assert.ok((await newly.boundingBox()).y < (await page.locator(".diff").boundingBox()).y);
    assert.equal(await nodes(), before - 2);
    await back();
    await asked("add");
    await on.field(page, "what-if-node").fill("node-c1");
    await on.field(page, "what-if-count").fill("3");
    await tried();
    assert.match(await change.textContent(), /Add 3 nodes like node-c1: /);
    assert.equal(await nodes(), before + 3);
    const added = (await on.frame(page)).nodes.filter(({ name }) => name.startsWith("node-c"));
    assert.ok(added.every(({ labels }) => labels["topology.kubernetes.io/zone"] === "zone-c"), JSON.stringify(added));
  });
});

test("the table of a fork leaves out what the names of all nodes end in", async () => {
  const DOMAIN = ".eu-west-1.compute.internal";
  const node = (name) => `apiVersion: v1
kind: Node
metadata: {name: ${name}${DOMAIN}, labels: {topology.kubernetes.io/zone: ${name}}}
status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
`;
  const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: a, resources: {requests: {cpu: 500m}}}]}
`;
  await withManifests([node("ip-1"), node("ip-2"), node("ip-3"), web].join("---\n"), async (page) => {
    await on.runToEnd(page);
    const name = (await on.frame(page)).pods[0].node;
    const short = name.slice(0, -DOMAIN.length);
    await on.action(page, "board").click();
    await page.locator('[data-what-if="lose"]').click();
    await on.field(page, "what-if-node").fill(`topology.kubernetes.io/zone=${short}`);
    await on.action(page, "try-what-if").click();
    await page.waitForFunction(() => globalThis.berth.frame().fork?.tried);
    const cells = page.locator(".diff tbody td");
    await cells.first().waitFor();
    const names = await cells.allTextContents();
    assert.equal(names[0], short);
    assert.ok(/^ip-[123]$/.test(names[1]) && names[1] !== short, names.join());
    assert.equal(await cells.first().locator("[title]").getAttribute("title"), name);
  });
});

test("the strip of long work covers no control of a what-if's form", async () => {
  // Narrower windows scroll the form below the strip.
  for (const viewport of [{ width: 1440, height: 900 }, { width: 1180, height: 800 }]) {
    await withPage(
      async (page) => {
        await on.started(page);
        await on.runToEnd(page);
        await page.locator('[data-action="board"]:visible').first().click();
        await page.locator('[data-what-if="add"]').click();
        await page.locator('[data-trial="add"]').waitFor();
        // As it is drawn after a second of work.
        const covered = await page.evaluate(() => {
          const strip = document.createElement("div");
          strip.className = "toast work";
          strip.append("Trying fixes", document.createElement("button"));
          document.querySelector(".over").append(strip);
          const own = strip.getBoundingClientRect();
          const controls = document.querySelector('[data-trial="add"]').querySelectorAll("input, select, button");
          return [...controls].filter((control) => {
            const { left, right, top, bottom } = control.getBoundingClientRect();
            return control.checkVisibility() && left < own.right && right > own.left && top < own.bottom && bottom > own.top;
          }).map((control) => control.outerHTML);
        });
        assert.deepEqual(covered, [], `${viewport.width} pixels`);
      },
      { viewport },
    );
  }
});

test("the board says of how many Pods Berth says what the cluster of a dump said", async () => {
  const node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, uid: n1}\nstatus: {allocatable: {cpu: '2', memory: 4Gi, pods: '10'}}\n";
  const pod = (name, message) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: default, uid: ${name}}
spec: {containers: [{name: a, image: a, resources: {requests: {cpu: "4"}}}]}
status:
  phase: Pending
  conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: "${message}"}]
`;
  const lacks = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.";
  const other = "0/1 nodes are available: 1 node(s) were unschedulable.";
  await withManifests([node, pod("same", lacks), pod("other", other)].join("---\n"), async (page) => {
    await on.runToEnd(page);
    await on.action(page, "board").click();
    const said = page.locator("[data-said]");
    await said.waitFor();
    assert.equal(await said.getAttribute("data-said"), "1");
    assert.match(await said.locator("summary").textContent(), /^1 of 2/);
    await said.locator("summary").click();
    assert.match(await said.locator("li").textContent(), /other.*were unschedulable/s);
  });
});

test("what if: a loss, each loss, more nodes, replicas and a new placement are answered without a fork", async () => {
  await withPage(async (page) => {
    await on.started(page);
    await on.runToEnd(page);
    const { digest } = await on.moment(page);
    await on.action(page, "board").click();
    const sentence = page.locator(".answer__sentence");
    const asked = async (what, choose = async () => {}) => {
      await page.locator(`[data-what-if="${what}"]`).click();
      await choose();
      await on.action(page, "ask-what-if").click();
      await page.locator('[data-answer="done"]').waitFor();
      return sentence.textContent();
    };
    const zone = "topology.kubernetes.io/zone=zone-c";
    const lost = await asked("lose", () => on.field(page, "what-if-node").fill(zone));
    assert.match(lost, /^If zone zone-c goes, .* wait.*; nothing is lost for good\.$|^If zone zone-c goes, .* lost for good/);
    // Each node: the worst is first, lit on the stage, and can be asked about alone.
    await on.field(page, "what-if-of").selectOption("node");
    await on.action(page, "ask-what-if").click();
    await page.waitForFunction(() => /nodes can go/.test(document.querySelector(".answer__sentence")?.textContent));
    const rows = page.locator(".answer__table tbody tr");
    assert.equal(await rows.count(), (await on.frame(page)).nodes.length);
    const more = await rows.evaluateAll((rows) => rows.map((row) => Number(row.cells[4].textContent.slice(1))));
    const hit = more.filter((pods) => pods > 0).length;
    assert.equal(await page.locator(".node--lit").count(), hit);
    const worst = on.action(page, "ask-this").first();
    const name = await worst.textContent();
    await worst.click();
    await page.waitForFunction((name) => document.querySelector(".answer__sentence")?.textContent.startsWith(`If ${name} goes`), name);
    assert.match(await asked("need"), /It takes|No node like|No Pod waits/);
    assert.match(await asked("add"), /^With 1 more node like /);
    assert.match(await asked("fit"), /fits?\b/);
    assert.match(await asked("anew"), /^Placed anew, /);
    // What is copied is the answer on the page.
    const shown = await sentence.textContent();
    await page.evaluate(() => Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (globalThis.copied = text) } }));
    await on.action(page, "copy-what-if").click();
    await page.waitForFunction(() => globalThis.copied);
    assert.ok((await page.evaluate(() => globalThis.copied)).replaceAll("\\", "").startsWith(shown));
    await on.action(page, "close-what-if").click();
    await page.locator(".groups").waitFor();
    assert.equal((await on.moment(page)).digest, digest, "nothing has changed");
  });
});

for (const lang of ["en", "zh"]) {
  test(`the queue cuts neither a lane's name nor a Pod's (${lang})`, async () => {
    const path = lang === "en" ? "" : `?lang=${lang}`;
    await withPage(async (page) => {
      await on.started(page);
      const cut = (selector) =>
        page.locator(selector).evaluateAll((all) =>
          all.filter((text) => text.clientWidth > 1 && text.scrollWidth > text.clientWidth + 1).map((text) => text.textContent),
        );
      for (const moment of ["at the start", "at the end"]) {
        assert.deepEqual(await cut(".queue .lane__head b"), [], moment);
        assert.deepEqual(await cut(".queue .pod__label > span"), [], moment);
        await on.runToEnd(page);
      }
    }, { path, viewport: { width: 1440, height: 900 } });
  });
}

test("every block of the queue has a label", async () => {
  for (const width of [1440, 1366, 1280, 1024]) {
    await withPage(
      async (page) => {
        await on.started(page);
        for (let step = 0; step < 3; step += 1) {
          const blank = await page.locator(".lane .pod").evaluateAll((all) =>
            all
              .filter((pod) => pod.checkVisibility())
              .filter((pod) => {
                const label = pod.querySelector(".pod__label");
                const shown = (pseudo) => parseFloat(getComputedStyle(pseudo ? label : label.firstChild, pseudo).width) > 1;
                return !shown() && !shown("::after");
              })
              .map((pod) => pod.dataset.pod),
          );
          assert.deepEqual(blank, [], `${width} pixels, step ${step}`);
          // All that wait are shown or counted.
          const active = page.locator(".lane").first();
          const shown = await active.locator(".pod:visible").count();
          const more = active.locator(".lane__more:visible");
          const rest = (await more.count()) ? Number((await more.locator("[aria-hidden]:visible").textContent()).slice(1)) : 0;
          assert.equal(shown + rest, Number(await active.locator(".count").textContent()), `${width} pixels, step ${step}`);
          await on.step(page);
        }
      },
      { viewport: { width, height: 800 } },
    );
  }
});
