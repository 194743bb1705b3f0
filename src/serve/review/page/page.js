/** The page of a review: shows a pair, posts the answer, and shows the next pair once the answer is on disk. */
import { Figures } from "./chart.js";
import { html, render, useEffect, useLayoutEffect, useRef, useState } from "./preact.js";

const choices = [
  { key: "y", answer: "yes", label: "Same" },
  { key: "n", answer: "no", label: "Different" },
  { key: "?", answer: "?", label: "Not sure" },
];
const labelOf = (answer) => choices.find((choice) => choice.answer === answer)?.label.toLowerCase() ?? "open";

async function ask(path, body) {
  const options = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, options).catch(() => {
    throw new Error("pearl has stopped. Your answers so far are in the file: start pearl review again.");
  });
  const reply = await response.json();
  if (!response.ok && response.status !== 409) throw new Error(reply.error);
  return { reply, isTaken: response.status === 409 };
}

function Page({ first }) {
  const [state, setState] = useState(first);
  const [status, setStatus] = useState("");
  const [trouble, setTrouble] = useState("");
  const [hasEnded, setEnded] = useState(false);
  const answered = useRef([]);
  const isWaiting = useRef(false);
  const { pair, counts, figures } = state;

  /** One request at a time: a key pressed meanwhile would answer a pair that nobody has read. */
  const whenFree = async (work) => {
    if (isWaiting.current || hasEnded) return;
    isWaiting.current = true;
    await work().then(
      () => setTrouble(""),
      (error) => setTrouble(error.message),
    );
    isWaiting.current = false;
  };
  const write = async ({ id, seen }, answer) => {
    const { reply, isTaken } = await ask("answer", { id, answer, seen });
    setState(reply);
    if (answer === "") answered.current.pop();
    if (isTaken) return setStatus("That pair was answered in another tab or program, and keeps that answer.");
    if (answer !== "") answered.current.push({ id, seen: answer });
    const { pairs, open } = reply.counts;
    setStatus(
      `${answer === "" ? "Undone" : `Saved: ${labelOf(answer)}`}. ${pairs - open} of ${pairs} pairs answered.`,
    );
  };
  const choose = (answer) => pair && whenFree(() => write({ id: pair.id, seen: pair.answer }, answer));
  const undo = () => answered.current.length > 0 && whenFree(() => write(answered.current.at(-1), ""));
  const end = () => whenFree(() => ask("finish", {}).then(() => setEnded(true)));

  // A layout effect, since a key must never mean the pair that was shown before.
  useLayoutEffect(() => {
    const onKey = ({ key, repeat, ctrlKey, altKey, metaKey }) => {
      if (repeat || ctrlKey || altKey || metaKey) return;
      const choice = choices.find((other) => other.key === key.toLowerCase());
      if (choice) choose(choice.answer);
      else if (key.toLowerCase() === "u") undo();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  });
  useEffect(() => {
    if (!figures?.isBusy || hasEnded) return undefined;
    const timer = setInterval(async () => {
      const { reply } = await ask("state").catch(() => ({}));
      // The shown pair stays: it may be read at this moment.
      if (reply && !isWaiting.current) setState((shown) => ({ ...reply, pair: shown.pair ?? reply.pair }));
    }, 1000);
    return () => clearInterval(timer);
  }, [figures?.isBusy, hasEnded]);

  if (hasEnded) return html`<main><h1>The review has ended</h1><${Next} state=${state} /></main>`;
  return html`<main>
    <h1>${pair ? "Are these two the same?" : "All pairs are answered"}</h1>
    <${Progress} state=${state} />
    ${pair ? html`<${Pair} pair=${pair} />` : html`<${Next} state=${state} />`}
    <div class="answers">
      ${pair && choices.map(({ key, answer, label }) => html`<button aria-keyshortcuts=${key} onClick=${() => choose(answer)}>${label} <kbd>${key}</kbd></button>`)}
      <button aria-keyshortcuts="u" onClick=${undo} disabled=${answered.current.length === 0}>Undo <kbd>u</kbd></button>
      <button onClick=${end}>End the review</button>
    </div>
    <p role="status">${status}</p>
    ${trouble && html`<p role="alert">${trouble}</p>`}
    ${figures && html`<${Figures} figures=${figures} answers=${counts.yes + counts.no} />`}
  </main>`;
}

function Progress({ state: { file, counts, secondsLeft } }) {
  const { pairs, open, yes, no, "?": unsure } = counts;
  const minutes = Math.ceil(secondsLeft / 60);
  const left = secondsLeft > 0 ? ` About ${minutes} ${minutes === 1 ? "minute" : "minutes"} left.` : "";
  return html`<progress aria-label="Answered pairs" value=${pairs - open} max=${pairs} />
    <p class="note">${file}: ${pairs - open} of ${pairs} pairs answered (${yes} same, ${no} different, ${unsure} not sure).${left}</p>`;
}

function Pair({ pair: { id, cells, why } }) {
  const [left, right] = id.split(" ");
  const filled = cells.filter((cell) => cell.left?.trim() || cell.right?.trim());
  return html`<table>
      <thead><tr><th scope="col">Column</th><th scope="col">Left, row ${left}</th><th scope="col">Right, row ${right}</th></tr></thead>
      <tbody>${filled.map((cell) => html`<${Row} key=${cell.name} ...${cell} />`)}</tbody>
    </table>
    ${why && html`<details key=${id}><summary>What pearl found</summary><p>${why}</p></details>`}`;
}

function Row({ name, left, right }) {
  const [a, b] = [left, right].map((cell) => cell?.toLowerCase().split(/\s+/).join(" ").trim());
  const differs = a && b && a !== b && html` <span role="img" aria-label="differs">≠</span>`;
  return html`<tr><th scope="row">${name}${differs}</th><${Cell} own=${left} other=${right} /><${Cell} own=${right} other=${left} /></tr>`;
}

/** Words that the other cell lacks are marked, whatever their case. */
function Cell({ own, other }) {
  if (!own?.trim()) return html`<td class="empty">${own === undefined ? "no such column" : "empty"}</td>`;
  const rest = (other ?? "").toLowerCase().split(/\s+/);
  const marked = own.split(/(\s+)/).map((word) => {
    const place = rest.indexOf(word.toLowerCase());
    if (place >= 0) rest.splice(place, 1);
    return place >= 0 || !other?.trim() || !word.trim() ? word : html`<mark>${word}</mark>`;
  });
  return html`<td>${marked}</td>`;
}

const Next = ({ state: { file, nextCommand, applied } }) =>
  nextCommand === undefined
    ? html`<p>Your answers are in ${file}. To apply them, run the join or dedupe that wrote it again, with ${applied}.</p>`
    : html`<p>Your answers are in ${file}. Apply them with:</p><pre tabindex="0"><code>${nextCommand}</code></pre>`;

const { reply } = await ask("state");
document.title = `Review of ${reply.file}`;
render(html`<${Page} first=${reply} />`, document.body);
