// Talks to a learning management system (LMS) by SCORM 1.2, which keeps the progress in the course. Only a package
// of `cargo xtask course --scorm` has this module, and the page loads it with the course.

/** The API of the LMS; null: there is none. */
let api;
let began = 0;
/** The progress code, as the LMS keeps it. */
let code = "";

/** The API of a window or of one around it. */
function find(start) {
  for (let at = start; at; at = at.parent) {
    try {
      if (at.API) return at.API;
    } catch {
      // A frame of another site.
    }
    if (at.parent === at) break;
  }
  return null;
}

const get = (name) => String(api.LMSGetValue(name) ?? "");
const set = (name, value) => String(api.LMSSetValue(name, String(value))) === "true";

function start() {
  api = find(window) ?? find(window.opener);
  if (api && String(api.LMSInitialize("")) !== "true") api = null;
  if (!api) return;
  began = Date.now();
  code = get("cmi.suspend_data");
  if (get("cmi.core.lesson_status") === "not attempted" && isKept()) {
    set("cmi.core.lesson_status", "incomplete");
    api.LMSCommit("");
  }
}

/** Whether this visit counts: trainers browse the course, and learners review their results. */
const isKept = () => !["browse", "review"].includes(get("cmi.core.lesson_mode"));

/** The progress code that the LMS keeps, empty at the first visit; undefined without an LMS. */
export function begin() {
  if (api === undefined) start();
  return api ? code : undefined;
}

/** Keeps a progress code. `done`: the slugs of the lessons that are done; `all`: those of the course, in order. */
export function report(next, all, done) {
  if (!api || !isKept()) return;
  code = next;
  set("cmi.suspend_data", code);
  const percent = Math.floor((all.filter((slug) => done.includes(slug)).length * 100) / all.length);
  const mastery = get("cmi.student_data.mastery_score");
  const isReached = percent >= (mastery === "" ? 100 : Number(mastery));
  // With a mastery score, an LMS counts any lower score at the end of a visit as a failure, even a pause.
  if (mastery === "" || isReached) {
    set("cmi.core.score.min", 0);
    set("cmi.core.score.max", 100);
    set("cmi.core.score.raw", percent);
  }
  if (isReached) set("cmi.core.lesson_status", mastery === "" ? "completed" : "passed");
  objectives(all, done);
  api.LMSCommit("");
}

/** One objective a lesson, where the LMS keeps objectives. */
function objectives(all, done) {
  if (!get("cmi.objectives._children").includes("status")) return;
  const known = Number(get("cmi.objectives._count"));
  for (const [index, slug] of all.entries()) {
    if (index >= known && !set(`cmi.objectives.${index}.id`, slug)) return;
    set(`cmi.objectives.${index}.status`, done.includes(slug) ? "completed" : "not attempted");
  }
}

/** As `CMITimespan`: `0000:12:34.56`. */
function timespan(ms) {
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60];
  return `${String(hours).padStart(4, "0")}:${two(minutes)}:${((ms / 1000) % 60).toFixed(2).padStart(5, "0")}`;
}

addEventListener("pagehide", () => {
  if (!api) return;
  set("cmi.core.session_time", timespan(Date.now() - began));
  // Otherwise an LMS may discard the progress.
  set("cmi.core.exit", "suspend");
  api.LMSCommit("");
  api.LMSFinish("");
  api = null;
});
// The back/forward cache may restore the page.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) start();
});
