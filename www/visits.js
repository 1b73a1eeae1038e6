// The visits' store in IndexedDB: bytes by name, each `TAB.VALUE`; and locks, which tell the tabs that are open.
// src/ui/persistence decides what is kept.
const STORE = "visits";
const PATIENCE_MS = 10_000;
let opened = null;
let opening = null;

/** The database; opened again after the browser has closed it. */
const database = () =>
  (opening ??= new Promise((resolve, reject) => {
    // Some browsers never answer.
    setTimeout(reject, PATIENCE_MS, new Error("timeout"));
    const leave = () => (opened = opening = null);
    const request = indexedDB.open("berth", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      opened = request.result;
      opened.onclose = leave;
      opened.onversionchange = () => leave(opened.close());
      resolve(opened);
    };
  }).catch((error) => {
    opening = null;
    throw error;
  }));

/** Runs `work(store)` in a transaction. An open database begins at once: a page that is being left has no later. */
function transact(mode, work) {
  const begin = (database) =>
    new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode, { durability: "relaxed" });
      transaction.onabort = () => reject(transaction.error);
      const requests = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(requests.map((request) => request.result));
      transaction.commit();
    });
  return opened ? begin(opened) : database().then(begin);
}

/** All names of a tab. */
const range = (tab) => IDBKeyRange.bound(`${tab}.`, `${tab}.\uffff`);

/** A tab's values: `[names, bytes]`, without the tab's name. */
export const read = async (tab) => {
  const [names, values] = await transact("readonly", (store) => [store.getAllKeys(range(tab)), store.getAll(range(tab))]);
  return [names.map((name) => name.slice(tab.length + 1)), values];
};

/** Writes a tab's values, all or none; `undefined` removes one. */
export const write = (tab, names, values) =>
  transact("readwrite", (store) =>
    names.map((name, at) => (values[at] ? store.put(values[at], `${tab}.${name}`) : store.delete(`${tab}.${name}`))),
  );

/** Removes everything of these tabs. */
export const forget = (tabs) => transact("readwrite", (store) => tabs.map((tab) => store.delete(range(tab))));

const LOCK = "berth visit ";
const held = new Set();
let release = [];

const lock = (tab) =>
  // A sandboxed page has no locks.
  navigator.locks?.request(LOCK + tab, { mode: "shared" }, () => new Promise((resolve) => release.push(resolve))).catch(() => {});

/** Marks a visit as that of an open tab. */
export function hold(tab) {
  if (held.has(tab)) return;
  if (!held.size) {
    // A page with a lock would be left out of the back/forward cache.
    addEventListener("pagehide", () => {
      for (const resolve of release) resolve();
      release = [];
    });
    addEventListener("pageshow", ({ persisted }) => persisted && held.forEach(lock));
  }
  held.add(tab);
  lock(tab);
}

/** The visits of open tabs; `undefined` if the browser cannot tell. */
export const open = async () => {
  const locks = await navigator.locks?.query();
  return locks?.held.filter(({ name }) => name.startsWith(LOCK)).map(({ name }) => name.slice(LOCK.length));
};
