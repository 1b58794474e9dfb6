"""
What every page owes to its readers, looked at in the page itself.

`FIND_FAULTS` is a script without any library. It returns sentences about what is wrong: names of
controls, references between elements, landmarks, headings, contrast, order and size of what can
be focused. The contrast is computed from the colours as they are painted, one above another.
"""

from __future__ import annotations

from typing import Any

WIDTHS = (320, 1400)
SCHEMES = ("light", "dark")

FIND_FAULTS = """
() => {
  const faults = [];
  const say = (what, e) => faults.push(what + ': ' + e.outerHTML.slice(0, 120));
  const all = selector => [...document.querySelectorAll(selector)];
  const isShown = e => e.checkVisibility() && e.getClientRects().length > 0;
  const text = e => (e ? e.textContent.trim() : '');
  const find = id => document.getElementById(id);
  const byIds = ids => (ids || '').split(' ').filter(Boolean).map(find);

  // Names.
  const join = elements => elements.map(text).join(' ');
  const name = e => e.ariaLabel || join(byIds(e.getAttribute('aria-labelledby'))) ||
    join([...(e.labels || [])]) || text(e);
  const controls = all('input:not([type=hidden]), select, textarea, button, a[href], summary');
  for (const e of controls.filter(isShown)) if (!name(e)) say('no name', e);
  for (const e of all('progress, [role=region], nav, [role=group]')) {
    if (!name(e)) say('no name', e);
  }
  for (const e of all('svg')) {
    const isHidden = e.closest('[aria-hidden=true]');
    if (!isHidden && !(e.matches('[role=img]') && name(e))) say('a picture without a name', e);
  }
  const groups = all('input[type=radio]').filter(e => !e.closest('fieldset'));
  for (const e of groups) say('a radio button without a group', e);

  // References.
  const ids = all('[id]').map(e => e.id);
  for (const id of ids.filter((id, n) => ids.indexOf(id) !== n)) faults.push('an id twice: ' + id);
  for (const attribute of ['aria-describedby', 'aria-labelledby', 'for', 'list', 'form']) {
    for (const e of all('[' + attribute + ']')) {
      if (byIds(e.getAttribute(attribute)).includes(null)) say(attribute + ' leads nowhere', e);
    }
  }
  for (const e of all('a[href^="#"]')) {
    if (!document.getElementById(e.hash.slice(1))) say('a link to nothing', e);
  }

  // Landmarks and headings.
  for (const one of ['main', 'body > header', 'body > footer', 'h1', 'head > title']) {
    if (all(one).length !== 1) faults.push(all(one).length + ' of ' + one);
  }
  if (!document.documentElement.lang) faults.push('no language');
  for (const e of [...document.body.children]) {
    if (!e.matches('header, main, footer, .skip, script')) say('outside the landmarks', e);
  }
  const headings = all('h1, h2, h3, h4, h5, h6').filter(isShown).map(e => Number(e.tagName[1]));
  if (headings[0] !== 1) faults.push('the first heading is not the highest');
  headings.forEach((level, n) => {
    if (n && level > headings[n - 1] + 1) faults.push('headings skip a level: ' + headings);
  });
  for (const e of all('th:not([scope])')) say('a heading of nothing', e);

  // Focus: order of the document, and large enough.
  for (const e of all('[tabindex]')) if (e.tabIndex > 0) say('an order of its own', e);
  for (const e of all('main *')) {
    const style = getComputedStyle(e);
    if (style.order !== '0' || style.flexDirection.endsWith('reverse')) say('another order', e);
  }
  for (const e of controls.filter(isShown)) {
    const box = e.getBoundingClientRect();
    const isInline = getComputedStyle(e).display === 'inline' || e.closest('label, .unseen');
    if (!isInline && box.height < 24) say('too small to hit', e);
  }

  // Contrast.
  const parse = colour => {
    const [r, g, b, a = 1] = (colour.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
    return [r, g, b, a];
  };
  const over = ([r, g, b, a], below) =>
    [r, g, b].map((c, n) => a * c + (1 - a) * below[n]).concat(1);
  const ground = e => {
    if (!e) return [255, 255, 255, 1];
    const own = parse(getComputedStyle(e).backgroundColor);
    return own[3] === 1 ? own : over(own, ground(e.parentElement));
  };
  const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  const contrast = (one, other) => {
    const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  };
  const hasText = e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
  for (const e of all('body *').filter(e => hasText(e) && isShown(e))) {
    const style = getComputedStyle(e);
    const paper = ground(e instanceof SVGElement ? e.closest('svg').parentElement : e);
    const ink = over(parse(e instanceof SVGElement ? style.fill : style.color), paper);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const found = contrast(ink, paper);
    if (found < (isLarge ? 3 : 4.5)) say('contrast ' + found.toFixed(2), e);
  }
  for (const e of all('input[type=text], select, textarea').filter(isShown)) {
    const style = getComputedStyle(e);
    const found = contrast(parse(style.borderTopColor), ground(e.parentElement));
    if (found < 3) say('a border of contrast ' + found.toFixed(2), e);
    const hint = contrast(parse(getComputedStyle(e, '::placeholder').color), ground(e));
    if (e.placeholder && hint < 4.5) say('a placeholder of contrast ' + hint.toFixed(2), e);
  }
  const wide = document.scrollingElement.scrollWidth;
  if (wide > innerWidth) faults.push('scrolls sideways: ' + wide + ' px');
  return faults;
}
"""


def check_page(page: Any) -> None:
    """Narrow and wide, light and dark: no fault anywhere."""
    page.wait_for_load_state()
    before = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            faults = page.evaluate(FIND_FAULTS)
            assert not faults, (width, scheme, page.url, faults)
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(before)


def note_complaints(page: Any) -> None:
    """Keep what the browser warns of; not that something else took the focus first."""
    page.complaints = []

    def note(message: Any) -> None:
        if not message.text.startswith("Autofocus processing was blocked"):
            page.complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
