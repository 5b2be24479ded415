/**
 * The form in which a name's owner hands in programs to a ladder, with the versions of the name.
 * docs/api.md describes the requests.
 *
 * @module
 */

import { LANGUAGES, nameField, newToken, starterFile, tokenField } from "./connect.js";
import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";
import { counted } from "./figures.js";
import { errorMessage, fetchJson, timeElement } from "./matches.js";
import {
  keptNames,
  keptToken,
  ownersAuthorization,
  proveName,
  saveFile,
} from "./owner.js";
import { printable } from "./text.js";
import { isUnfinished, sizeText, submissionsAddress, VersionList } from "./versions.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./versions.js").Author} Author */
/** @typedef {{open: boolean, closes: string | null, languages: Record<string, string>,
 *   python_packages: Record<string, string>, endings: string[], max_bytes: number, versions_kept: number, per_hour: number}} About what can be
 *   handed in */

/** Milliseconds until versions are asked for again of which one isn't finished. */
const SOON = 1000;
/** Milliseconds until an arena is asked again that didn't answer. */
const AGAIN = 5000;

/**
 * Make the section in which a name's owner hands in programs.
 *
 * @param {Link} link must be open
 * @param {object} what
 * @param {string} what.ladder
 * @param {string} what.game
 * @param {string | null} what.bot the name, whose owner alone sees the section; null: any name
 * @param {boolean} what.isOpen whether it is unfolded also for those who have shown no token
 * @returns {{element: HTMLElement, close(): void}}
 */
export function submissionsSection(link, { ladder, game, bot, isOpen }) {
  const address = submissionsAddress(ladder);
  const ended = new AbortController();
  const { signal } = ended;
  /** Whose versions are shown. @type {{name: string, token: string} | null} */
  let shown = null;
  /** @type {About | null} */
  let about = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  /** Number of times that versions were asked for, to recognize an answer that comes too late. */
  let asks = 0;
  /** Whether the arena didn't answer, which is shown as the trouble. */
  let isLost = false;

  const name = nameField("MyBot");
  const token = tokenField(link.hello?.bots?.registration === "closed" ? "" : newToken());
  token.required = true;
  const owner = el(
    "form",
    { class: "filters", "aria-label": "Whose program it is" },
    el("label", null, "Name", name),
    el("label", null, "Token, a secret to keep", token),
    copyButton(() => token.value, { label: "Copy", title: "Copy the token" }),
    el("button", { class: "button" }, "My versions"),
  );
  const whose = el(
    "div",
    { class: "stack" },
    owner,
    el(
      "p",
      { class: "muted" },
      link.hello?.bots?.registration === "closed"
        ? "The operator gives you a name and its token. "
        : "A new name becomes yours with this token, which the next versions need, too. ",
      "This tab keeps it until it is closed.",
    ),
  );

  const file = el("input", { type: "file", name: "file", required: true });
  const send = el("button", { class: "button primary" }, "Hand in");
  const language = el("select", { name: "language" });
  const starters = el(
    "div",
    { class: "filters", hidden: true },
    el("label", null, "Begin with a starter bot", language),
    el("button", { class: "button", type: "button", onclick: () => void take() }, "Choose it"),
    el("button", { class: "button", type: "button", onclick: () => void save() }, "Download it"),
  );
  const form = el(
    "form",
    { class: "stack drop", "aria-label": "Hand in" },
    el(
      "div",
      { class: "filters" },
      el("label", null, "Program: drop its file here, or choose it", file),
      send,
    ),
    starters,
  );
  const rules = el("div", { class: "stack" }, el("p", { class: "muted" }, "Loading…"));
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const state = el("p", { role: "status" });
  const pause = el("button", { class: "button small", type: "button", hidden: true });
  const versions = new VersionList(ladder, signal, true);
  const isOwners = () => bot === null || keptNames().includes(bot);
  const element = el(
    "section",
    { class: "stack submissions", "aria-label": "Programs" },
    el(
      "details",
      { open: isOpen || (bot === null && keptNames().length > 0) },
      el(
        "summary",
        { class: "button primary" },
        bot === null ? "Hand in a program" : "Its programs",
      ),
      el(
        "div",
        { class: "stack" },
        rules,
        bot === null && whose,
        form,
        trouble,
        el("div", { class: "row" }, state, pause),
        versions.element,
      ),
    ),
  );

  /** @param {unknown} error */
  function fail(error) {
    if (!signal.aborted) {
      trouble.textContent = printable(errorMessage(error));
      trouble.hidden = false;
    }
  }

  /**
   * Carry out what the user has asked for, and show why it can't be.
   *
   * @param {() => Promise<void>} work
   */
  async function attempt(work) {
    trouble.hidden = true;
    send.disabled = true;
    try {
      await work();
    } catch (error) {
      fail(error);
    } finally {
      send.disabled = false;
    }
  }

  /** @param {About} now */
  function showRules(now) {
    about = now;
    const known = Object.entries(now.languages);
    const packages = Object.entries(now.python_packages);
    fill(
      rules,
      el(
        "p",
        null,
        "The arena builds what you hand in, checks it, and plays it in a sandbox, so no computer " +
          "of yours has to stay on. The version that plays goes on until the next one is ready.",
      ),
      el(
        "p",
        null,
        deadline(now),
        `A file of source (${now.endings.filter((each) => each !== ".zip").join(" ")}), or a .zip `,
        "with a ",
        el("code", null, "bot.toml"),
        ` that says how to build and run it; at most ${sizeText(now.max_bytes)}. `,
        `At most ${counted(now.per_hour, "version")} in an hour; the last `,
        `${now.versions_kept} are kept.`,
      ),
      known.length > 0 &&
        el(
          "ul",
          { class: "languages", "aria-label": "Languages, each with Lanista's library" },
          known.map(([each, version]) =>
            el("li", null, el("strong", null, each), printable(` ${version.replace(`${each} `, "")}`)),
          ),
        ),
      packages.length > 0 &&
        el(
          "details",
          null,
          el("summary", null, `${counted(packages.length, "package")} that Python programs can import`),
          el("p", { class: "muted" }, printable(packages.map((each) => each.join(" ")).join(", "))),
        ),
    );
    form.hidden = !now.open;
    const offered = LANGUAGES.filter((each) => now.languages[each] !== undefined);
    if (language.options.length !== offered.length) {
      fill(language, offered.map((each) => el("option", { value: each }, each)));
    }
    starters.hidden = offered.length === 0;
  }

  /** @param {Author} author */
  function showAuthor(author) {
    const act = about?.open === true && author.disabled === "" ? change : null;
    versions.show(author, act);
    state.textContent = printable(describe(author));
    state.classList.toggle("failures", author.disabled !== "");
    pause.hidden = act === null || author.playing === null;
    pause.textContent = author.paused ? "Resume" : "Pause";
    pause.title = author.paused ? "Let its version play again" : "Let nothing of this name play";
    pause.onclick = () => change(author.paused ? "resume" : "pause");
  }

  /** Load the rules and the versions that are shown, and again while they aren't finished. */
  async function load() {
    clearTimeout(timer);
    const wanted = (asks += 1);
    const headers = shown === null ? {} : ownersAuthorization(shown.name, shown.token);
    try {
      /** @type {About & Author} */
      const answer = await fetchJson(address, signal, { headers });
      if (wanted === asks) {
        showRules(answer);
        if (shown !== null) {
          showAuthor(answer);
        }
        // An arena that has just begun doesn't know its languages yet.
        const isBeginning = Object.keys(answer.languages).length === 0;
        const isAwaited = isBeginning || (shown !== null && isUnfinished(answer));
        timer = isAwaited ? setTimeout(load, SOON) : undefined;
        trouble.hidden ||= isLost;
        isLost = false;
      }
    } catch (error) {
      if (wanted === asks && !signal.aborted) {
        fail(error);
        isLost = error instanceof TypeError;
        timer = isLost ? setTimeout(load, AGAIN) : undefined;
      }
    }
  }

  /**
   * Show the versions of a name.
   *
   * @param {string} given
   * @param {string} secret
   * @throws {Error} with the arena's message, if the token isn't that of the name
   */
  async function show(given, secret) {
    shown = { name: await proveName(link, given, secret), token: secret };
    await load();
  }

  /** @param {string} path as for `Act` */
  function change(path) {
    void attempt(async () => {
      if (shown !== null) {
        const headers = ownersAuthorization(shown.name, shown.token);
        await fetchJson(`${address}/${path}`, signal, { method: "POST", headers });
        await load();
      }
    });
  }

  async function handIn() {
    const program = file.files?.[0];
    if (program === undefined || about === null) {
      return;
    }
    if (program.size > about.max_bytes) {
      const [size, most] = [program.size, about.max_bytes].map((each) => counted(each, "byte"));
      throw new Error(`${program.name} has ${size}; at most ${most} are taken`);
    }
    await fetchJson(`${address}?${new URLSearchParams({ file: program.name })}`, signal, {
      method: "POST",
      headers: ownersAuthorization(name.value, token.value),
      body: program,
    });
    file.value = "";
    await show(name.value, token.value);
  }

  /** Put a starter bot into the field. */
  function take() {
    return attempt(async () => {
      const chosen = new DataTransfer();
      chosen.items.add(await starterFile(language.value, game));
      file.files = chosen.files;
    });
  }

  function save() {
    return attempt(async () => {
      const starter = await starterFile(language.value, game);
      saveFile(starter, starter.name);
    });
  }

  /** Take a token that was kept into the fields, unless a name is shown already. */
  function adopt() {
    element.hidden = !isOwners();
    const [known] = bot === null ? keptNames().reverse() : [bot]; // the last one that was used
    const secret = keptToken(known);
    if (shown === null && secret !== undefined) {
      [name.value, token.value] = [known, secret];
      shown = { name: known, token: secret };
      void load();
    }
  }

  owner.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(() => show(name.value, token.value));
  });
  name.addEventListener("change", () => {
    token.value = keptToken(name.value) ?? token.value;
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (owner.reportValidity()) {
      void attempt(handIn);
    }
  });
  for (const type of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(type, (event) => {
      const { dataTransfer } = /** @type {DragEvent} */ (event);
      form.classList.toggle("over", type === "dragover");
      if (type !== "dragleave" && dataTransfer?.types.includes("Files")) {
        event.preventDefault(); // else the page would take it for a record
        if (type === "drop") {
          file.files = dataTransfer.files;
        }
      }
    });
  }
  link.addEventListener("names", adopt);
  void load();
  adopt();
  return {
    element,
    close() {
      ended.abort();
      clearTimeout(timer);
      link.removeEventListener("names", adopt);
    },
  };
}

/** Tell until when programs are taken. @param {About} about @returns {(Node | string)[]} */
function deadline({ open, closes }) {
  if (closes === null) {
    return [];
  }
  return open
    ? [el("strong", null, "Open until ", timeElement(closes)), ". "]
    : [el("strong", null, "Closed since ", timeElement(closes)), "; nothing is taken or changed any more. "];
}

/** Tell what plays under a name. @param {Author} author */
function describe({ name, playing, paused, disabled, versions }) {
  if (disabled !== "") {
    return `The operator has disabled ${name}: ${disabled}`;
  }
  if (versions.length === 0) {
    return `Nothing was handed in for ${name} yet.`;
  }
  const [{ version, state }] = versions;
  const now =
    playing === null
      ? "nothing plays yet"
      : paused
        ? "paused, so nothing plays"
        : `version ${playing} plays`;
  const newest = version === playing ? "" : `; version ${version}: ${state}`;
  return `${name}: ${now}${newest}.`;
}
