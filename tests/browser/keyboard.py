"""A person who uses the keyboard alone."""

from __future__ import annotations

from typing import Any

MOST_TABS = 150
FOCUSED = """
() => {
  const e = document.activeElement;
  const labels = [...(e.labels || [])].map(one => one.textContent.trim());
  const style = getComputedStyle(e);
  return {
    names: [e.id, e.ariaLabel || '', e.textContent.trim(), e.value || '', ...labels],
    isOutlined: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2,
  };
}
"""
IN_VIEW = """
() => {
  const box = document.activeElement.getBoundingClientRect();
  return box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
}
"""


class Keyboard:
    """Tab, type, press: nothing is clicked, and whatever has the focus is seen to have it."""

    def __init__(self, page: Any) -> None:
        self._page = page

    @property
    def names(self) -> list[str]:
        """What the focused element is called."""
        names: list[str] = self._page.evaluate(FOCUSED)["names"]
        return names

    def tab_to(self, name: str, *, back: bool = False) -> None:
        """Press Tab until an element of this id, label or text has the focus."""
        for _ in range(MOST_TABS):
            self._page.keyboard.press("Shift+Tab" if back else "Tab")
            focused = self._page.evaluate(FOCUSED)
            if name in focused["names"]:
                assert focused["isOutlined"], name
                self._page.wait_for_function(IN_VIEW)
                return
        raise AssertionError(f"{name} cannot be reached")

    def press(self, name: str, key: str = "Enter", *, back: bool = False) -> None:
        """Go to a button or link and press a key on it."""
        self.tab_to(name, back=back)
        self._page.keyboard.press(key)

    def write(self, name: str, text: str, *, back: bool = False) -> None:
        """Go to a field and type into it instead of what was there."""
        self.tab_to(name, back=back)
        self._page.keyboard.press("Control+a")
        self._page.keyboard.type(text) if text else self._page.keyboard.press("Delete")
        self._page.keyboard.press("Escape")  # Suggestions lie over what comes next.

    def skip(self) -> None:
        """From the top of a page to its content, as the first link offers."""
        self._page.keyboard.press("Tab")
        assert "Skip to the content" in self.names
        self._page.wait_for_function(IN_VIEW)
        self._page.keyboard.press("Enter")
        assert self.names[0] == "content"
