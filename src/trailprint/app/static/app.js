// Live progress, sliders that show their value, and a copy button.
// Everything else works without this script.
"use strict";

const sources = [];

// Parts of the page marked as live, as they are now: what was typed and chosen elsewhere stays.
async function refresh() {
  sources.splice(0).forEach((source) => source.close());
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(part.id);
    if (!now || now.innerHTML === part.innerHTML) continue;
    const chosen = part.querySelector("input[type=radio]:checked");
    const typed = [...part.querySelectorAll("input[type=text]")].map((e) => [e.id, e.value]);
    const focused = part.contains(document.activeElement) && document.activeElement.id;
    part.replaceChildren(...now.childNodes);
    for (const one of part.querySelectorAll("input[type=radio]")) {
      one.checked = chosen !== null && one.value === chosen.value;
    }
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (field) field.value = value;
    }
    if (focused) document.getElementById(focused)?.focus();
  }
  document.querySelectorAll("[data-watch]").forEach(follow);
}

function showParts(states) {
  const shown = document.querySelectorAll("[data-part]");
  if (shown.length !== states.length) return void (states.length && location.reload());
  states.forEach((state, place) => {
    shown[place].className = state.replace(" ", "-");
    shown[place].querySelector(".state").textContent = state;
  });
}

function follow(box) {
  const what = box.querySelector("[data-what]");
  const left = box.querySelector("[data-left]");
  const bar = box.querySelector("progress");
  const source = new EventSource(box.dataset.watch);
  sources.push(source);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    what.textContent = told.what;
    left.textContent = told.left;
    if (told.done === null) bar.removeAttribute("value");
    else bar.value = told.done;
    if (!("points" in box.dataset)) return showParts(told.parts);
    if (String(told.points) !== box.dataset.points) refresh();
  };
  source.addEventListener("end", () => {
    source.close();
    if ("points" in box.dataset) refresh();
    else location.reload();
  });
}

function move(form) {
  const slider = form.querySelector("input[type=range]");
  const field = form.querySelector("input[name=values]");
  if (!slider) return;
  const stops = slider.dataset.stops.split(" ");
  const show = () => {
    field.value = stops[slider.value];
    slider.setAttribute("aria-valuetext", stops[slider.value]);
  };
  slider.addEventListener("input", show);
  field.addEventListener("input", () => {
    const typed = Number(field.value);
    if (!field.value || Number.isNaN(typed)) return;
    const far = stops.map((stop) => Math.abs(Number(stop) - typed));
    slider.value = far.indexOf(Math.min(...far));
    slider.setAttribute("aria-valuetext", stops[slider.value]);
  });
  show();
}

function offerCopy(section) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "second";
  button.textContent = "Copy the command";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(section.querySelector("code").textContent);
    button.textContent = "Copied";
  });
  section.append(button);
}

document.querySelectorAll("[data-watch]").forEach(follow);
document.querySelectorAll(".mover").forEach(move);
if (navigator.clipboard) document.querySelectorAll(".command").forEach(offerCopy);
