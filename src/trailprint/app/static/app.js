// Live progress and a copy button. Everything else works without this script.
"use strict";

function follow(box) {
  const what = box.querySelector("[data-what]");
  const left = box.querySelector("[data-left]");
  const bar = box.querySelector("progress");
  const source = new EventSource(box.dataset.watch);
  source.onmessage = (event) => {
    const told = JSON.parse(event.data);
    what.textContent = told.what;
    left.textContent = told.left;
    if (told.done === null) bar.removeAttribute("value");
    else bar.value = told.done;
    const shown = document.querySelectorAll("[data-part]");
    if (shown.length !== told.parts.length) return void (told.parts.length && location.reload());
    told.parts.forEach((state, place) => {
      shown[place].className = state.replace(" ", "-");
      shown[place].querySelector(".state").textContent = state;
    });
  };
  source.addEventListener("end", () => {
    source.close();
    location.reload();
  });
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
if (navigator.clipboard) document.querySelectorAll(".command").forEach(offerCopy);
