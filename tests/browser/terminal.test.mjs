// The terminal and the simulated cluster: a whole tutorial typed as written, time forwards and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withManifests, withPage } from "./harness.mjs";
import * as on from "./steps.mjs";

const node = (name) => `apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: {kubernetes.io/hostname: ${name}}}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "20"}}
`;
const NODES = [node("node-a"), node("node-b")].join("---\n");
const DEPLOYMENT = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: "nginx:1.24", resources: {requests: {cpu: 100m}}}]
`;

const { line, terminal, run } = on;

/** Rows of a table that kubectl printed, without its header. */
const rows = (out) =>
  out
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((row) => row.trim().split(/\s{2,}/));

const now = (page) => page.locator("[data-now]").evaluate(({ dataset }) => Number(dataset.now));
const bound = (page) => page.locator('[data-node] [data-pod][data-state="bound"]').count();

test("a Deployment rolls out over time, and going back takes it back", async () => {
  await withManifests(NODES + DEPLOYMENT, async (page) => {
    assert.equal(await page.locator("[data-now]").count(), 0, "no time passes when Pods are just scheduled");
    await page.locator('[data-live="true"]').click();
    await page.waitForSelector('[data-live="true"][aria-checked="true"]');
    // It keeps playing from here.
    await page.waitForFunction(() => Number(document.querySelector("[data-position]").dataset.position) > 0);
    await on.runToEnd(page);
    assert.equal(await bound(page), 3);
    assert.ok((await now(page)) > 0);
    assert.match(await page.locator(".happened").innerText().then(() => page.locator(".happened__list").textContent()), /ScalingReplicaSet|Started container web/);
    assert.equal(await page.locator("[data-status]").count(), 0, "all of them run");

    const end = await on.moment(page);
    const seen = [];
    for (let number = 0; number < 3; number += 1) {
      await on.does(page, "step-back");
      seen.unshift(await on.moment(page));
    }
    for (const moment of seen) {
      assert.deepEqual(await on.moment(page), moment);
      await on.does(page, "step");
    }
    assert.deepEqual(await on.moment(page), end);

    await on.does(page, "reset");
    assert.equal(await bound(page), 0);
    assert.equal(await page.locator("[data-now]").count(), 0, "before the switch no time passes");
    await on.does(page, "latest");
    assert.deepEqual(await on.moment(page), end);

    await page.locator('[data-live="false"]').click();
    await page.waitForSelector('[data-live="false"][aria-checked="true"]');
    assert.equal(await page.locator("[data-now]").count(), 0);
  });
});

test("the terminal plays a tutorial from the first Deployment to a drained node", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    assert.equal((await run(page, "kubectl create deployment web --image=nginx:1.24 --replicas=2")).out, "deployment.apps/web created\n");
    assert.match(await page.locator(".term__note").textContent(), /This is now a living cluster/);
    await on.runToEnd(page);
    assert.match((await run(page, "kubectl get deployments")).out, /^NAME .*\nweb +2\/2 +2 +2 /);

    assert.equal((await run(page, "kubectl scale deployment web --replicas=4")).out, "deployment.apps/web scaled\n");
    await on.runToEnd(page);
    const pods = rows((await run(page, "kubectl get pods")).out);
    assert.deepEqual(pods.map(([, ready, status]) => `${ready} ${status}`), Array(4).fill("1/1 Running"));
    assert.equal(await bound(page), 4);

    assert.equal((await run(page, "kubectl set image deployment/web nginx=nginx:1.25")).out, "deployment.apps/web image updated\n");
    assert.match((await run(page, "kubectl rollout status deployment/web")).out, /deployment "web" successfully rolled out\n$/);
    assert.equal((await run(page, "kubectl rollout undo deployment/web")).out, "deployment.apps/web rolled back\n");
    assert.match((await run(page, "kubectl rollout status deployment/web")).out, /successfully rolled out\n$/);
    const image = "kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'";
    assert.equal((await run(page, image)).out.trim(), "nginx:1.24");

    assert.equal((await run(page, "kubectl taint nodes node-a maintenance=yes:NoExecute")).out, "node/node-a tainted\n");
    await on.runToEnd(page);
    const wide = async () => rows((await run(page, "kubectl get pods -o wide")).out).map((row) => `${row[2]} ${row[6]}`);
    assert.deepEqual(await wide(), Array(4).fill("Running node-b"), "everything was evicted from node-a");
    assert.match((await run(page, "kubectl get events")).out, /TaintManagerEviction/);

    assert.equal((await run(page, "kubectl taint nodes node-a maintenance-")).out, "node/node-a untainted\n");
    const drained = await run(page, "kubectl drain node-b --ignore-daemonsets");
    assert.match(drained.out, /node\/node-b cordoned\n/);
    assert.match(drained.out, /evicting pod default\/web-[^\n]*\n/);
    assert.match(drained.out, /node\/node-b drained\n$/);
    await on.runToEnd(page);
    assert.deepEqual(await wide(), Array(4).fill("Running node-a"));
    await page.waitForSelector('[data-node="node-b"].node--cordoned');

    assert.equal((await run(page, "kubectl uncordon node-b")).out, "node/node-b uncordoned\n");
    await page.waitForSelector('[data-node="node-b"]:not(.node--cordoned)');
    await on.does(page, "undo");
    await page.waitForSelector('[data-node="node-b"].node--cordoned');
    assert.match((await run(page, "kubectl get node node-b")).out, /Ready,SchedulingDisabled/);
  });
});

test("lines are completed, brought back, pasted and given up", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    const typed = async (text, keys) => {
      await line(page).fill(text);
      await line(page).press(keys);
    };
    const becomes = (wanted) =>
      page.waitForFunction((wanted) => document.querySelector('[data-field="terminal"]').value === wanted, wanted);

    await typed("kubectl describe node n", "Tab");
    await becomes("kubectl describe node node-");
    await page.waitForSelector('[data-choices="2"]');
    await page.locator("[data-choices] button", { hasText: "node-b" }).click();
    await becomes("kubectl describe node node-b ");
    assert.equal(await page.locator('[data-choices="0"]').count(), 1);

    const wrong = await run(page, "kubectl gett nodes");
    assert.match(wrong.error, /unknown command "gett" for "kubectl"/);
    assert.equal(wrong.code, 1);
    assert.match((await run(page, "kubectl get nodes | grep node-b")).out, /^node-b +Ready/);
    await line(page).press("ArrowUp");
    await line(page).press("ArrowUp");
    await becomes("kubectl gett nodes");
    await line(page).press("ArrowDown");
    await becomes("kubectl get nodes | grep node-b");
    await line(page).press("ArrowDown");
    await becomes("");

    // Pasted lines run one after the other; the lines of a compound command run as one.
    await line(page).fill("for n in 1 2; do\necho item-$n\ndone\necho last\n");
    await page.waitForSelector('[data-printed="echo last"]');
    const loop = page.locator('[data-printed^="for n"]');
    assert.equal(await loop.locator(".term__out").textContent(), "item-1\nitem-2\n");
    await becomes("");

    await line(page).fill("echo 'never closed");
    await line(page).press("Enter");
    await page.waitForFunction(() => document.querySelector(".prompt").textContent.startsWith(">"));
    await line(page).press("Control+c");
    await page.waitForFunction(() => document.querySelector(".prompt").textContent.startsWith("$"));
    assert.equal((await run(page, "echo again")).out, "again\n");
    await line(page).press("Control+l");
    await page.waitForFunction(() => document.querySelectorAll("[data-printed]").length === 0);

    await page.reload({ waitUntil: "load" });
    await on.started(page);
    assert.equal(await on.text(page), NODES);
    await terminal(page);
    await line(page).press("ArrowUp");
    await becomes("echo again");
  });
});

test("kubectl edit opens the object, and saving writes it back", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    await run(page, "kubectl create deployment web --image=nginx");
    await run(page, "kubectl edit deployment web");
    const dialog = page.locator('[data-dialog="edit"]');
    await dialog.waitFor();
    const text = await on.field(page, "edited").inputValue();
    assert.match(text, /^# Please edit the object below/);
    await on.field(page, "edited").fill(text.replace("replicas: 1", "replicas: 3"));
    await on.action(page, "save-edit").click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".term__out", { hasText: "deployment.apps/web edited" }).waitFor();
    await on.runToEnd(page);
    assert.equal(await bound(page), 3);

    await run(page, "kubectl edit deployment web");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.match((await run(page, "kubectl get deploy web")).out, /3\/3/);
  });
});

/** Types a line and submits it, without waiting for the command to end. */
async function begin(page, text) {
  await line(page).fill(text);
  await line(page).press("Enter");
}

/** Records every position that the page shows from now on; returns a function that reads the record. */
async function positions(page) {
  await page.evaluate(() => {
    const bar = document.querySelector("[data-position]");
    globalThis.seen = [];
    new MutationObserver(() => globalThis.seen.push(Number(bar.dataset.position))).observe(bar, {
      attributes: true,
      attributeFilter: ["data-position"],
    });
  });
  return () => page.evaluate(() => globalThis.seen);
}

const drop = (page, files) =>
  page.locator(".sources").evaluate((sources, files) => {
    const dataTransfer = new DataTransfer();
    for (const [name, text] of files) dataTransfer.items.add(new File([text], name));
    sources.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, files);

test("the terminal finds the manifests and the files that are dropped on it", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    assert.equal((await run(page, "cat scenario.yaml")).out, NODES);
    assert.match((await run(page, "kubectl apply -f web.yaml")).error, /"web.yaml" does not exist\n\(files here: scenario.yaml; to make it: /);
    await drop(page, [["web.yaml", DEPLOYMENT]]);
    await page.locator(".term__note", { hasText: "web.yaml" }).waitFor();
    assert.equal((await run(page, "ls")).out, "scenario.yaml\nweb.yaml\n");
    assert.equal((await run(page, "kubectl apply -f web.yaml")).out, "deployment.apps/web created\n");
    assert.equal(await on.text(page), NODES, "the scenario stays what it was");
    await on.runToEnd(page);
    assert.equal(await bound(page), 3);

    // Files dropped on the manifests become another scenario, and keep their names.
    await page.locator('[data-source="manifests"]').click();
    await drop(page, [["one.yaml", node("node-c")], ["two.yaml", DEPLOYMENT]]);
    await on.node(page, "node-c").waitFor();
    await terminal(page);
    assert.match((await run(page, "ls")).out, /^one.yaml\nscenario.yaml\ntwo.yaml\nweb.yaml\n$/);
    assert.equal((await run(page, "cat one.yaml")).out, node("node-c"));
  });
});

test("fields are explained, and their descriptions fetched once", async () => {
  for (const path of ["", "?engine=inline"]) {
    await withPage(
      async (page) => {
        const fetched = [];
        page.on("request", (request) => fetched.push(request.url()));
        const wanted = () => fetched.filter((url) => url.endsWith("explain.json")).length;
        await on.started(page);
        await on.open(page, NODES);
        await terminal(page);
        await run(page, "kubectl get nodes");
        const explained = await run(page, "kubectl explain pod.spec.tolerations");
        assert.equal(explained.code, 0, explained.error);
        assert.match(explained.out, /^KIND: {7}Pod\nVERSION: {4}v1\n\nFIELD: tolerations <\[\]Toleration>\n/);
        assert.match(explained.out, /\n {2}tolerationSeconds\t<integer>\n/);
        const all = await run(page, "kubectl explain deploy.spec --recursive");
        assert.match(all.out, /\n {6}maxSurge\t/);
        assert.equal(wanted(), 1);
      },
      { path },
    );
  }
});

test("a text that doubles forty times ends with a message, and the terminal goes on", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    await run(page, "a=x");
    const doubled = await run(page, Array.from({ length: 40 }, () => "a=$a$a").join("; "));
    assert.notEqual(doubled.code, 0);
    assert.match(doubled.error, /\S/);
    await begin(page, "while true; do a=$a; done");
    await line(page).press("Control+c");
    await page.waitForSelector('[data-terminal="ready"]');
    assert.equal((await run(page, "echo ok")).out, "ok\n");
  });
});

test("a line that waits is seen moment by moment, and Ctrl+C stops it", async () => {
  for (const path of ["", "?engine=inline"]) {
    await withManifests(
      NODES,
      async (page) => {
        await terminal(page);
        const seen = await positions(page);
        const rolled = await run(page, "kubectl create deployment web --image=nginx --replicas=4 && kubectl rollout status deployment/web && echo rolled");
        assert.match(rolled.out, /successfully rolled out\nrolled\n$/);
        const moments = new Set(await seen());
        assert.ok(moments.size >= 5, `${moments.size} moments were drawn`);
        await on.runToEnd(page);

        // The node cannot be drained: without Ctrl+C, `kubectl drain` would retry for a day.
        assert.equal((await run(page, "kubectl create pdb all --selector=app=web --min-available=4")).code, 0);
        const before = await on.moment(page);
        await begin(page, "kubectl drain node-a --ignore-daemonsets");
        await page.locator(".term__err", { hasText: "Cannot evict pod" }).first().waitFor();
        await line(page).press("Control+c");
        await page.waitForSelector('[data-terminal="ready"]');
        const drain = page.locator('[data-printed^="kubectl drain"]');
        assert.match(await drain.locator(".term__out").first().textContent(), /^node\/node-a cordoned\nevicting pod/);
        const parts = await drain.first().evaluate((entry) => [...entry.children].map(({ className }) => className));
        const first = parts.indexOf("term__err");
        assert.ok(first > 0 && parts.lastIndexOf("term__out") > first, `in the order of printing: ${parts}`);
        const last = page.locator("[data-printed]").last();
        const printed = await last.evaluate((entry) => [...entry.children].filter((it) => !it.matches(".term__passed")).map((it) => it.textContent).join(""));
        assert.match(printed, /\^C\n$/, "below what was said before");
        assert.equal(await last.getAttribute("data-code"), "130");
        await page.waitForSelector('[data-action="play"][aria-label="Play"]');
        await on.inStep(page);
        assert.ok((await on.moment(page)).position > before.position);
        assert.equal((await run(page, "echo $?")).out, "130\n");
        assert.match((await run(page, "kubectl get node node-a")).out, /SchedulingDisabled/);
        await on.does(page, "undo");
        assert.deepEqual((await on.moment(page)).digest, before.digest);
      },
      { path },
    );
  }
});

test("time stops by itself when nothing happens for long, and says until when", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    await run(page, "kubectl create deployment web --image=nginx --replicas=2");
    await page.waitForSelector("[data-quiet]");
    assert.equal(await bound(page), 2);
    assert.ok((await now(page)) < 60_000, "the rollout's deadline is left for later");
    assert.match(await page.locator("[data-quiet]").textContent(), /^Nothing happens until 10:0/);
    assert.match((await run(page, "kubectl get pods")).out, /Running +0 +\d+s/);
    // Play continues to that time.
    await on.action(page, "play").click();
    await page.waitForFunction(() => Number(document.querySelector("[data-now]").dataset.now) >= 600_000);
  });
});

test("Explain tells attempt and time, and the terminal's keys are among the keys", async () => {
  await withManifests(NODES + DEPLOYMENT, async (page) => {
    await page.locator('[data-live="true"]').click();
    await on.runToEnd(page);
    const head = page.locator(".attempt__meta");
    await head.locator("[data-when]").waitFor();
    const heading = await head.innerText();
    assert.match(heading, /try 1\b/);
    assert.match(heading, /at \d\d:\d\d/);
    assert.doesNotMatch(heading, /round/);
    await page.keyboard.press("?");
    const help = await page.locator('[role="dialog"]').innerText();
    for (const key of ["Ctrl+C", "Ctrl+L", "Tab"]) assert.ok(help.includes(key), key);
  });
});

test("tables scroll sideways and keep their columns", async () => {
  await withManifests(NODES + DEPLOYMENT, async (page) => {
    await terminal(page);
    await run(page, "kubectl get pods -o wide");
    const { lines, height, wide, room } = await page.locator(".term__out").last().evaluate((out) => ({
      lines: out.textContent.trimEnd().split("\n").length,
      height: out.getBoundingClientRect().height / parseFloat(getComputedStyle(out).lineHeight),
      wide: out.closest(".term").scrollWidth,
      room: out.closest(".term").clientWidth,
    }));
    assert.ok(wide > room, `${wide} pixels in ${room}`);
    assert.ok(height < lines + 1.5, `${lines} lines are drawn as ${height}`);
    // Arrows scroll the output, and do not step.
    const { position } = await on.moment(page);
    await page.locator(".term").focus();
    await page.keyboard.press("ArrowRight");
    await page.waitForFunction(() => document.querySelector(".term").scrollLeft > 0);
    assert.equal((await on.moment(page)).position, position);
  });
});

test("characters go to the command line from the terminal's panel, and elsewhere are shortcuts", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    await run(page, "kubectl get nodes");
    const becomes = async (text) => {
      await page.waitForFunction((text) => document.querySelector('[data-field="terminal"]').value === text, text);
      await line(page).fill("");
    };
    await page.locator(".term").focus();
    await page.keyboard.type("kubectl get pods");
    await becomes("kubectl get pods");
    assert.equal(await page.locator('[role="dialog"]').count(), 0);
    await page.locator('[data-source="terminal"]').focus();
    await page.keyboard.type("b123");
    await becomes("b123");
    // Nowhere; then a click on the chosen tab.
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.type("drain");
    await becomes("drain");
    await page.locator('[data-source="terminal"]').click();
    await page.waitForFunction(() => document.activeElement.dataset.field === "terminal");
    // On the stage they keep their meaning.
    await on.node(page, "node-a").focus();
    await page.keyboard.press("c");
    await page.waitForSelector('[data-node="node-a"].node--cordoned');
  });
});

test("shortcuts of a single character can be turned off, and stay off", async () => {
  await withManifests(NODES, async (page) => {
    await on.node(page, "node-a").focus();
    await page.keyboard.press("?");
    await on.field(page, "single-keys").uncheck();
    await page.keyboard.press("Escape");
    await page.locator('[role="dialog"]').waitFor({ state: "detached" });
    for (let visit = 0; visit < 2; visit += 1) {
      await on.node(page, "node-a").focus();
      for (const key of ["c", "a", "b", "/", "?", "1"]) await page.keyboard.press(key);
      await page.waitForTimeout(200);
      assert.equal(await page.locator('[role="dialog"], [data-form="add"], .node--cordoned').count(), 0);
      await page.waitForTimeout(600);
      await page.reload({ waitUntil: "load" });
      await on.started(page);
    }
  });
});

test("the clock waits before an eviction, and a button goes there", async () => {
  const report = `---
apiVersion: v1
kind: Pod
metadata: {name: report}
spec:
  nodeName: node-a
  tolerations: [{key: upgrade, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]
  containers: [{name: report, image: nginx}]
`;
  await withManifests(NODES + report, async (page) => {
    await terminal(page);
    await run(page, "kubectl get pods");
    await run(page, "kubectl taint nodes node-a upgrade=now:NoExecute");
    await on.inStep(page);
    const tainted = await now(page);
    assert.ok(tainted < 15_000, `${tainted}`);
    assert.match(await page.locator("[data-quiet]").textContent(), /then report is evicted/);
    assert.match((await run(page, "kubectl get pods")).out, /report +1\/1 +Running/);
    await run(page, "sleep 10");
    await on.inStep(page);
    assert.equal(await now(page), tainted + 10_000);
    assert.equal(await page.locator("[data-passed]").last().textContent(), "+10 s");
    const due = await on.action(page, "go-to-due").getAttribute("data-due");
    await on.action(page, "go-to-due").click();
    await page.waitForFunction((due) => document.querySelector("[data-now]").dataset.now === due, due);
    assert.equal(await on.action(page, "undo").getAttribute("title").then((it) => it.startsWith("Undo: sleep ")), true);
  });
});

test("copied lines run as they are", async () => {
  await withManifests(NODES, async (page) => {
    await terminal(page);
    await line(page).fill("[root@k8s-master1 lab]# kubectl get nodes\nNAME     STATUS\nnode-a   Ready\n$ echo done\n");
    await page.waitForSelector('[data-printed="echo done"]');
    assert.equal(await page.locator('[data-printed="kubectl get nodes"][data-code="0"]').count(), 1);
    assert.equal(await line(page).inputValue(), "");
    assert.match((await run(page, "$ kubectl create deployment web --image=nginx")).out, /created/);
    assert.equal((await run(page, "kubectl scale deployment web –replicas=2")).code, 0);
  });
});
