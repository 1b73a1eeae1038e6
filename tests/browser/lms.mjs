// A small learning management system: the API and the data model of the SCORM 1.2 Run-Time Environment, section 3, as a
// page that opens a package in a frame. It refuses what the standard forbids, and records each refusal.

/** What an LMS knows before the first visit. `mastery`: the package's mastery score. */
export const firstVisit = ({ mastery = "", mode = "normal" } = {}) => ({
  "cmi.core.student_id": "l-1",
  "cmi.core.student_name": "Learner, A.",
  "cmi.core.lesson_location": "",
  "cmi.core.credit": "credit",
  "cmi.core.lesson_status": "not attempted",
  "cmi.core.entry": "ab-initio",
  "cmi.core.score.raw": "",
  "cmi.core.score.min": "",
  "cmi.core.score.max": "",
  "cmi.core.total_time": "0000:00:00.00",
  "cmi.core.lesson_mode": mode,
  "cmi.suspend_data": "",
  "cmi.launch_data": "",
  "cmi.comments": "",
  "cmi.student_data.mastery_score": mastery,
});

/** The page of the LMS: `lms.kept` is what it has stored, `lms.calls` and `lms.refused` what happened. */
export const lmsPage = (kept, opens = "frame") => `<!doctype html>
<html lang="en"><head><title>LMS</title><link rel="icon" href="data:,"></head><body>
<script>(${lms.toString()})(${JSON.stringify(kept)});</script>
${opens === "frame" ? '<iframe title="course" src="package/index.html" style="width:1200px;height:760px"></iframe>' : ""}
</body></html>`;

function lms(kept) {
  const STATUS = ["passed", "completed", "failed", "incomplete", "browsed"];
  const is = {
    string: (most) => (value) => value.length <= most,
    decimal: (value) => value === "" || (/^-?\d+(\.\d+)?$/.test(value) && Number(value) >= 0 && Number(value) <= 100),
    timespan: (value) => /^\d{2,4}:\d{2}:\d{2}(\.\d{1,2})?$/.test(value),
    identifier: (value) => /^\S{1,255}$/.test(value),
    oneOf: (values) => (value) => values.includes(value),
  };
  const children = {
    "cmi.core._children":
      "student_id,student_name,lesson_location,credit,lesson_status,entry,score,total_time,lesson_mode,exit,session_time",
    "cmi.core.score._children": "raw,min,max",
    "cmi.objectives._children": "id,score,status",
    "cmi.student_data._children": "mastery_score",
  };
  const writable = {
    "cmi.core.lesson_location": is.string(255),
    "cmi.core.lesson_status": is.oneOf(STATUS),
    "cmi.core.score.raw": is.decimal,
    "cmi.core.score.min": is.decimal,
    "cmi.core.score.max": is.decimal,
    "cmi.core.exit": is.oneOf(["time-out", "suspend", "logout", ""]),
    "cmi.core.session_time": is.timespan,
    "cmi.suspend_data": is.string(4096),
    "cmi.comments": is.string(4096),
  };
  const writeOnly = ["cmi.core.exit", "cmi.core.session_time"];
  const objective = {
    id: is.identifier,
    status: is.oneOf([...STATUS, "not attempted"]),
    "score.raw": is.decimal,
    "score.min": is.decimal,
    "score.max": is.decimal,
  };
  const state = { kept, now: { ...kept }, calls: [], refused: [], isOpen: false, isOver: false };
  let error = "0";
  const objectives = () => new Set(Object.keys(state.now).flatMap((name) => name.match(/^cmi\.objectives\.(\d+)/)?.[1] ?? [])).size;
  const refuse = (code, ...call) => {
    error = code;
    state.refused.push([code, ...call]);
    return call[0] === "LMSGetValue" ? "" : "false";
  };
  const api = {
    LMSInitialize(text) {
      if (text !== "") return refuse("201", "LMSInitialize", text);
      if (state.isOpen || state.isOver) return refuse("101", "LMSInitialize");
      state.isOpen = true;
      return "true";
    },
    LMSGetValue(name) {
      if (!state.isOpen) return refuse("301", "LMSGetValue", name);
      if (name in children) return children[name];
      if (name === "cmi.objectives._count") return String(objectives());
      if (writeOnly.includes(name)) return refuse("404", "LMSGetValue", name);
      if (!(name in state.now)) return refuse("201", "LMSGetValue", name);
      return state.now[name];
    },
    LMSSetValue(name, value) {
      if (!state.isOpen) return refuse("301", "LMSSetValue", name, value);
      if (typeof value !== "string") return refuse("405", "LMSSetValue", name, value);
      const [, index, field] = name.match(/^cmi\.objectives\.(\d+)\.(.+)$/) ?? [];
      if (name.endsWith("._children") || name.endsWith("._count")) return refuse("402", "LMSSetValue", name, value);
      const holds = index === undefined ? writable[name] : objective[field];
      if (!holds) return refuse(name in state.now ? "403" : "401", "LMSSetValue", name, value);
      if (index !== undefined && Number(index) > objectives()) return refuse("201", "LMSSetValue", name, value);
      if (!holds(value)) return refuse("405", "LMSSetValue", name, value);
      state.now[name] = value;
      return "true";
    },
    LMSCommit(text) {
      if (text !== "" || !state.isOpen) return refuse(state.isOpen ? "201" : "301", "LMSCommit", text);
      state.kept = { ...state.now };
      return "true";
    },
    LMSFinish(text) {
      if (text !== "" || !state.isOpen) return refuse(state.isOpen ? "201" : "301", "LMSFinish", text);
      const { now } = state;
      const [mastery, raw] = [now["cmi.student_data.mastery_score"], now["cmi.core.score.raw"]];
      // Section 3.4.4, lesson_status: the LMS decides if it can compare.
      if (mastery !== "" && raw !== "" && now["cmi.core.credit"] === "credit") {
        now["cmi.core.lesson_status"] = Number(raw) >= Number(mastery) ? "passed" : "failed";
      }
      now["cmi.core.entry"] = now["cmi.core.exit"] === "suspend" ? "resume" : "";
      state.session = now["cmi.core.session_time"];
      for (const name of writeOnly) delete now[name];
      state.kept = { ...now };
      [state.isOpen, state.isOver] = [false, true];
      return "true";
    },
    LMSGetLastError: () => error,
    LMSGetErrorString: (code) => `error ${code}`,
    LMSGetDiagnostic: (code) => `error ${code}`,
  };
  for (const [name, body] of Object.entries(api)) {
    api[name] = (...values) => {
      if (!name.startsWith("LMSGet")) state.calls.push([name, ...values]);
      if (!name.startsWith("LMSGetLast")) error = "0";
      return body(...values);
    };
  }
  window.API = api;
  window.lms = state;
}
