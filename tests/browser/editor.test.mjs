// The code editor's bundle in a real browser, on a page that holds nothing else, under the released
// page's Content-Security-Policy. EDITOR_SHOTS=FOLDER keeps screenshots.
import assert from "node:assert/strict";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { catalogues, translationsOf } from "../../xtask/src/node/catalogues.mjs";
import { bundleEditor } from "../../xtask/src/node/editor.mjs";
import { POLICY } from "../../xtask/src/node/policy.mjs";
import { withPage } from "./harness.mjs";

const TEXT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 6
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriod: 30
      nodeSelector:
        kubernetes.io/os: linux
      topologySpreadConstraints:
      - maxSkew: 1
        topologyKey: topology.kubernetes.io/zone
        whenUnsatisfiable: DoNotSchedule
        labelSelector:
          matchLabels: {app: web}
      # on ssd, if there is one
      containers: [{name: web, image: "web:1", resources: {requests: {cpu: 500m}}}]
`;

const POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  ";

let folder;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "berth-editor-"));
  await bundleEditor(folder);
  const css = fileURLToPath(new URL("../../www/berth.css", import.meta.url));
  await copyFile(css, join(folder, "berth.css"));
  const policy = Object.entries(POLICY).map(([name, values]) => `${name} ${values.join(" ")}`);
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">
<title>Editor</title><link rel="stylesheet" href="berth.css"></head>
<body style="height:100vh"><main style="width:30rem;height:40rem;margin:1rem"></main><button>After</button></body></html>`,
  );
});

after(() => rm(folder, { recursive: true, force: true }));

const editorPage = (body, options = {}) => withPage(body, { folder, ...options });

/** Creates `globalThis.editor`; its callbacks record their calls in `globalThis.calls`. */
async function open(page, text, options = {}) {
  await page.evaluate(
    async ([text, options]) => {
      const { createEditor } = await import("./editor.js");
      const calls = (globalThis.calls = { changes: [], cursor: [], undo: 0, redo: 0 });
      globalThis.editor = createEditor(document.querySelector("main"), {
        text,
        label: "Manifests",
        loadFields: () => fetch("fields.json").then((response) => response.text()),
        onChange: (text, changes) => calls.changes.push({ text, changes }),
        onCursor: (line) => calls.cursor.push(line),
        onUndo: () => (calls.undo += 1),
        onRedo: () => (calls.redo += 1),
        ...options,
      });
      editor.focus();
    },
    [text, options],
  );
}

const calls = (page) => page.evaluate(() => globalThis.calls);
const text = (page) => page.evaluate(() => editor.getText());
const announced = (page) => page.locator(".cm-announced");
const completion = (page) => page.locator(".cm-tooltip-autocomplete");

async function goTo(page, line, column) {
  await page.evaluate(([line, column]) => editor.goTo(line, column), [line, column]);
}

/** Hovers over the target until `shown` is visible: the element below the mouse may just be redrawn. */
async function hover(page, target, shown) {
  for (let tries = 0; tries < 20 && !(await shown.isVisible()); tries += 1) {
    await target.hover({ position: { x: 10 + (tries % 5), y: 5 } });
    await shown.waitFor({ timeout: 1500 }).catch(() => {});
  }
  assert.ok(await shown.isVisible());
}

async function shot(page, name) {
  if (process.env.EDITOR_SHOTS) await page.screenshot({ path: join(process.env.EDITOR_SHOTS, `${name}.png`) });
}

test("typing is reported, the page's own changes are not", async () => {
  await editorPage(async (page) => {
    await open(page, "kind: Pod\n");
    await page.keyboard.type("a");
    assert.deepEqual((await calls(page)).changes, [
      { text: "akind: Pod\n", changes: [{ from: 0, to: 0, text: "a" }] },
    ]);
    await page.evaluate(() => editor.setText("kind: Node\n"));
    await page.evaluate(() => editor.splice([{ from: 0, to: 0, text: "# " }, { from: 6, to: 10, text: "Job" }]));
    assert.equal(await text(page), "# kind: Job\n");
    assert.equal((await calls(page)).changes.length, 1);
    const crlf = "kind: Pod\r\nspec: {}\r\n";
    await page.evaluate((crlf) => editor.setText(crlf), crlf);
    assert.equal(await text(page), crlf);
  });
});

test("a long text comes in several tasks, and takes nothing typed into the one before", async () => {
  await editorPage(async (page) => {
    await open(page, "kind: Pod\n");
    const found = await page.evaluate(async () => {
      const long = `${"kind: Node\nmetadata: {name: a}\n---\n".repeat(60_000)}# end`;
      const lines = () => document.querySelector(".cm-content").textContent.length;
      const before = lines();
      editor.setText(long);
      const meanwhile = lines();
      document.querySelector(".cm-content").focus();
      document.execCommand("insertText", false, "typed");
      while (lines() === before) await new Promise((done) => setTimeout(done));
      const whole = editor.getText() === long;
      // A text that differs in a single place, and a text that is replaced at once.
      const edited = `${long.slice(0, 700_000)}é${long.slice(700_003)}`;
      editor.setText(edited);
      const isEdited = editor.getText() === edited;
      editor.setText(long.slice(600_000));
      editor.setText(`# ${long}`);
      return { before, meanwhile, whole, isEdited, last: editor.getText() === `# ${long}` };
    });
    assert.equal(found.meanwhile, found.before);
    assert.deepEqual([found.whole, found.isEdited, found.last], [true, true, true]);
    assert.deepEqual((await calls(page)).changes, []);
  });
});

test("a splice leaves the cursor where it was", async () => {
  await editorPage(async (page) => {
    await open(page, TEXT);
    await goTo(page, 6, 14);
    await page.evaluate(() => editor.splice([{ from: 0, to: 0, text: "# one\n# two\n" }]));
    await page.keyboard.press("Backspace");
    await page.keyboard.type("7");
    assert.match(await text(page), /^# one\n# two\napiVersion[^]*replicas: 7\n/);
    assert.deepEqual((await calls(page)).cursor, [6, 8]);
  });
});

test("undo and redo are the page's", async () => {
  await editorPage(async (page) => {
    await open(page, "a\n");
    await page.keyboard.type("b");
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+Shift+Z");
    await page.keyboard.press("Control+y");
    const { undo, redo } = await calls(page);
    assert.deepEqual([undo, redo], [1, 2]);
    assert.equal(await text(page), "ba\n");
  });
});

test("problems are underlined at line and column, and read out", async () => {
  await editorPage(async (page) => {
    await open(page, `😀: "x"\n${TEXT}`);
    await page.evaluate(() => {
      globalThis.fixed = 0;
      editor.setDiagnostics([
        { line: 1, column: 4, severity: "error", message: "Not a manifest." },
        {
          line: 14,
          column: 7,
          severity: "warning",
          message: "Unknown field terminationGracePeriod.",
          help: "Did you mean terminationGracePeriodSeconds?",
          fix: { label: "Fix", apply: () => (globalThis.fixed += 1) },
        },
      ]);
    });
    assert.equal(await page.locator(".cm-lintRange-error").textContent(), '"x"');
    const warning = page.locator(".cm-lintRange-warning");
    assert.equal(await warning.textContent(), "terminationGracePeriod");
    await page.waitForFunction(() => document.querySelector(".cm-announced").textContent !== "");
    assert.match(await announced(page).textContent(), /Line 1: Not a manifest\./);
    await hover(page, warning, page.locator(".cm-tooltip-lint"));
    await shot(page, "problem");
    assert.match(await page.locator(".cm-tooltip-lint").textContent(), /Did you mean/);
    await page.locator(".cm-diagnosticAction").click();
    assert.equal(await page.evaluate(() => fixed), 1);
    await page.keyboard.press("F8");
    await page.keyboard.press("F8");
    await page.waitForFunction(() => /Line 14/.test(document.querySelector(".cm-announced").textContent));
    assert.equal((await calls(page)).cursor.includes(14), true);
  });
});

test("the document about the scenario is folded, and what lowers the editor keeps the cursor in view", async () => {
  const about = "# About\napiVersion: berth.dev/v1alpha1\nkind: Scenario\ntitle: A\n---\n";
  await editorPage(async (page) => {
    await open(page, about + TEXT.repeat(3));
    const lines = page.locator(".cm-line");
    assert.match(await lines.first().textContent(), /^# About/);
    assert.equal(await lines.nth(1).textContent(), "---");
    // Typing in it, or going to it, unfolds it.
    await goTo(page, 4, 1);
    await page.waitForFunction(() => document.querySelectorAll(".cm-line")[3]?.textContent === "title: A");
    const last = (about + TEXT.repeat(3)).split("\n").length - 2;
    await goTo(page, last, 1);
    await page.evaluate(() => editor.focus());
    await page.evaluate(() => (document.querySelector("main").style.height = "10rem"));
    await page.waitForFunction(() => {
      const [cursor, main] = [".cm-cursor-primary", "main"].map((it) => document.querySelector(it)?.getBoundingClientRect());
      return cursor && cursor.bottom <= main.bottom + 1 && cursor.top >= main.top - 1;
    });
  });
});

test("hovering over a field, or asking by key, tells what it means", async () => {
  await editorPage(async (page) => {
    await open(page, TEXT);
    const help = page.locator(".cm-help");
    await hover(page, page.getByText("topologySpreadConstraints"), help);
    await shot(page, "hover");
    assert.match(await help.textContent(), /list of TopologySpreadConstraint.*spread across topology/);
    await page.mouse.move(600, 630);
    await help.waitFor({ state: "hidden" });
    await goTo(page, 19, 12);
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+i");
    await help.waitFor();
    assert.match(await help.textContent(), /^whenUnsatisfiable.*ScheduleAnyway/);
    assert.match(await announced(page).textContent(), /whenUnsatisfiable: string, required/);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
  });
});

test("fields and values are completed, in a Pod and in a template", async () => {
  await editorPage(async (page) => {
    await open(page, POD);
    await goTo(page, 5, 3);
    await page.keyboard.type("tolera");
    await completion(page).waitFor();
    const names = await completion(page).locator(".cm-completionLabel").allTextContents();
    assert.equal(names[0], "tolerations");
    await page.waitForTimeout(150);
    await shot(page, "complete");
    await page.keyboard.press("Tab");
    assert.equal(await text(page), `${POD}tolerations:\n    - `);
    await page.keyboard.type("eff");
    await page.locator('[aria-selected="true"]', { hasText: "effect" }).waitFor();
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    await page.locator('[role="option"]', { hasText: "NoExecute" }).waitFor();
    await page.keyboard.type("NoE");
    await page.waitForTimeout(150);
    await page.keyboard.press("Enter");
    assert.equal(await text(page), `${POD}tolerations:\n    - effect: NoExecute`);

    await page.evaluate((text) => editor.setText(text), TEXT);
    await goTo(page, 12, 10);
    await page.keyboard.press("Enter");
    await page.keyboard.type("tolera");
    await page.locator('[aria-selected="true"]', { hasText: "tolerations" }).waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate((text) => editor.setText(`\n---\n${text}`), TEXT);
    await goTo(page, 1, 1);
    await page.keyboard.type("kind: Sce");
    await page.locator('[aria-selected="true"]', { hasText: "Scenario" }).waitFor();
  });
});

test("the fields of a lesson are completed", async () => {
  await editorPage(async (page) => {
    const head = "apiVersion: berth.dev/v1alpha1\nkind: Scenario\n";
    const chosen = (name) => page.locator('[aria-selected="true"]', { hasText: name }).waitFor();
    const cases = [
      ["", "lock", "locked", "locked:\n  - "],
      ["", "pred", "predict", "predict:\n  - "],
      ["wrong:\n- say: No\n  ", "whe", "when", "wrong:\n- say: No\n  when:\n    - "],
      ["predict:\n- pod: db\n  ", "as", "ask", "predict:\n- pod: db\n  ask: "],
      ["expectations:\n- selector: {app: web}\n  ", "neverB", "neverBelow", "expectations:\n- selector: {app: web}\n  neverBelow: "],
    ];
    await open(page, head);
    for (const [before, typed, name, after] of cases) {
      await page.evaluate((text) => editor.setText(text), head + before);
      const lines = (head + before).split("\n");
      await goTo(page, lines.length, lines.at(-1).length + 1);
      await page.keyboard.type(typed);
      await chosen(name);
      await page.waitForTimeout(150);
      await page.keyboard.press("Enter");
      assert.equal(await text(page), head + after, typed);
    }
  });
});

test("the keyboard gets in and out, and screen readers hear a name", async () => {
  await editorPage(async (page) => {
    await open(page, "spec:\n");
    const box = page.getByRole("textbox", { name: "Manifests" });
    assert.equal(await box.count(), 1);
    assert.match(await box.getAttribute("aria-description"), /Escape, then Tab/);
    // Whoever tabs through the page changes nothing.
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "After");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await text(page), "spec:\n");
    await page.keyboard.type("#");
    await page.keyboard.press("Backspace");
    await page.keyboard.press("Tab");
    assert.equal(await text(page), "  spec:\n");
    await page.keyboard.press("Shift+Tab");
    assert.equal(await text(page), "spec:\n");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "After");
  });
});

test("it speaks the page's language", async () => {
  await editorPage(async (page) => {
    await open(page, POD, { language: "zh-CN", label: "清单" });
    const box = page.getByRole("textbox", { name: "清单" });
    assert.match(await box.getAttribute("aria-description"), /Esc/);
    await page.keyboard.press("Control+f");
    await page.getByRole("button", { name: "全部替换" }).waitFor();
    await page.keyboard.press("Escape");
    await page.evaluate(() => editor.setLanguage("en", "Manifests"));
    await page.keyboard.press("Control+f");
    await page.getByRole("button", { name: "replace all" }).waitFor();
    assert.equal(await page.getByRole("textbox", { name: "Manifests" }).count(), 1);
  });
});

test("every word of the editor is translated", async () => {
  const { readdir, readFile } = await import("node:fs/promises");
  const source = new URL("../../www/editor/", import.meta.url);
  const complete = catalogues().filter(({ head }) => head.complete === "yes");
  const translations = translationsOf("editor");
  let found = 0;
  for (const name of (await readdir(source)).filter((name) => name.endsWith(".mjs"))) {
    const code = await readFile(new URL(name, source), "utf8");
    for (const [, words] of code.matchAll(/\b(?:phrase|say)\("([^"]+)"/g)) {
      for (const { tag } of complete) assert.ok(translations[tag][words], `${tag}: ${words}`);
      found += 1;
    }
  }
  assert.ok(found >= 6);
});

test("lines are marked, folded and found", async () => {
  await editorPage(async (page) => {
    await open(page, TEXT);
    await page.evaluate(() => {
      editor.mark([{ fromLine: 17, toLine: 19, kind: "clash" }, { fromLine: 6, toLine: 6, kind: "changed" }]);
      editor.splice([{ from: 0, to: 0, text: "# moved\n" }]);
    });
    assert.equal(await page.locator(".cm-line.cm-clash").count(), 3);
    assert.match(await page.locator(".cm-line.cm-changed").textContent(), /replicas/);
    assert.equal(await page.locator(".cm-gutterElement.cm-clash").first().textContent(), "18");
    await page.locator(".cm-fold").nth(1).click();
    assert.equal(await page.locator(".cm-foldPlaceholder").count(), 1);
    await page.evaluate(() => editor.focus());
    await page.keyboard.press("Control+f");
    await page.keyboard.type("web");
    await page.locator(".cm-searchMatch").first().waitFor();
    await shot(page, "search");
  });
});

test("it looks like the page in both themes", async () => {
  for (const scheme of ["light", "dark"]) {
    await editorPage(
      async (page) => {
        await open(page, TEXT);
        await page.evaluate(() => {
          editor.mark([{ fromLine: 17, toLine: 19, kind: "clash" }, { fromLine: 6, toLine: 6, kind: "changed" }]);
          editor.setDiagnostics([{ line: 13, column: 7, severity: "warning", message: "Unknown field." }]);
        });
        await page.locator(".cm-number").first().waitFor();
        const look = await page.evaluate(() => {
          const style = (selector) => getComputedStyle(document.querySelector(selector));
          const key = [...document.querySelectorAll(".cm-line span")].find((one) => one.textContent === "kind");
          return {
            key: getComputedStyle(key).color,
            number: style(".cm-number").color,
            paper: style(".cm-editor").backgroundColor,
            size: style(".cm-content").fontSize,
            height: style(".cm-line").lineHeight,
            under: style(".cm-lintRange").textDecorationStyle,
          };
        });
        const light = scheme === "light";
        assert.deepEqual(look, {
          key: light ? "rgb(27, 79, 147)" : "rgb(156, 195, 255)",
          number: light ? "rgb(138, 58, 18)" : "rgb(242, 180, 140)",
          paper: light ? "rgb(250, 248, 242)" : "rgb(15, 27, 44)",
          size: "12px",
          height: "20px",
          under: "wavy",
        });
        await shot(page, scheme);
      },
      { contextOptions: { colorScheme: scheme } },
    );
  }
});

test("large texts open at once and are reported after a rest", async () => {
  await editorPage(async (page) => {
    await open(page, "");
    const times = await page.evaluate(async () => {
      const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  nodeName: a\n---\n";
      const text = (bytes) => pod.repeat(Math.ceil(bytes / pod.length));
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      const times = {};
      for (const megabytes of [5, 50]) {
        const large = text(megabytes * 1e6);
        const start = performance.now();
        editor.setText(large);
        await frame();
        times[megabytes] = Math.round(performance.now() - start);
        if (editor.getText() !== large) throw new Error("another text");
      }
      return times;
    });
    console.log("milliseconds by megabytes:", times);
    assert.ok(times[5] < 2_000 && times[50] < 10_000, JSON.stringify(times));
    assert.equal(await page.locator(".cm-foldGutter").count(), 0);
    // What is in view has the colors of a short text, at the top and in the middle.
    const colored = async (part) => {
      await page.evaluate((part) => editor.goTo(Math.round(editor.getText().split("\n").length * part)), part);
      await page.waitForTimeout(100);
      return page.locator(".cm-content").evaluate((content) => {
        const color = (text) => {
          const span = [...content.querySelectorAll(".cm-line span")].find((span) => span.textContent === text);
          return span && getComputedStyle(span).color;
        };
        return { key: color("nodeName") ?? null, text: getComputedStyle(content).color };
      });
    };
    for (const part of [0, 0.5]) {
      const { key, text } = await colored(part);
      assert.ok(key && key !== text, `at ${part}: ${key}, ${text}`);
    }
    await page.evaluate(() => editor.goTo(1));
    await page.keyboard.type("ab");
    assert.equal((await calls(page)).changes.length, 0);
    await page.waitForFunction(() => calls.changes.length === 1);
    const [{ changes }] = await page.evaluate(() => calls.changes.map(({ changes }) => ({ changes })));
    assert.deepEqual(changes, [{ from: 0, to: 0, text: "ab" }]);
    await page.evaluate(() => editor.setText("kind: Pod\n"));
    assert.equal(await page.locator(".cm-foldGutter").count(), 1);
  });
});

test("what is pasted is as large as what is opened", async () => {
  await editorPage(async (page) => {
    await open(page, "kind: Pod\n");
    const paste = (text) =>
      page.evaluate((text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
        document.querySelector(".cm-content").dispatchEvent(event);
      }, text);
    const folds = page.locator(".cm-foldGutter");
    await paste("kind: Node\nmetadata: {name: a}\n---\n".repeat(60_000));
    assert.equal(await folds.count(), 0);
    await page.keyboard.press("Control+a");
    await paste("kind: Node\n");
    assert.equal(await folds.count(), 1);
    assert.equal(await text(page), "kind: Node\n");
  });
});
