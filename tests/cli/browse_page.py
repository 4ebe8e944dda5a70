"""browse_page.py FILE…: whether a page of `grade --format html` is in a browser what check_page.py reads in its text.

Chromium opens the page without a network: it must make of it the elements that such a page may hold and no others, run
nothing and fetch nothing. A keyboard must reach and unfold everything, a screen reader must find names of tables and
drawings, text must stand out in the light and in the dark, and a narrow window must not scroll sideways. Ends with 77
where there is no Chromium.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
SKIPPED = 77
LEAST_CONTRAST = 4.5  # WCAG 2.2, AA
NARROW = 500  # pixels


class Browser:
    """Chromium, asked in words of the DevTools protocol over a pair of pipes: JSON texts with a NUL behind each."""

    def __init__(self, program, profile):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--disable-background-networking", f"--user-data-dir={profile}", "--remote-debugging-pipe"]

        def give_pipes():  # they are descriptors 3 and 4 there
            ends = [os.dup(to_browser), os.dup(from_browser)]
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(command, preexec_fn=give_pipes, close_fds=False, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.sent, self.session, self.events, self.rest = 0, None, [], b""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.read_end, 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, **parameters):
        self.sent += 1
        message = {"id": self.sent, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_end, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def value_of(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def open(self, file):
        for domain in ("Page", "Network", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.clearDeviceMetricsOverride")
        self.events = []
        self.ask("Page.navigate", url=file.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def press(self, key):
        code = {"Tab": 9, "Enter": 13}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, code=key, windowsVirtualKeyCode=code, **text)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def close(self):
        self.process.kill()
        self.process.wait()


def faults_of_elements(browser):
    elements = browser.value_of(
        "[...document.querySelectorAll('*')].map(e => [e.localName, e.getAttributeNames()])")
    faults = set()
    for name, attributes in elements:
        if name not in check_page.ALLOWED:
            faults.add(f"an element {name}")
        for attribute in attributes:
            if attribute.lower() not in check_page.ALLOWED.get(name, set()):
                faults.add(f"an attribute {attribute} of {name}")
    if len(elements) < 20:
        faults.add(f"only {len(elements)} elements")
    return sorted(faults)


def faults_of_behaviour(browser, file):
    faults = []
    for event in browser.events:
        method, about = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent" and about["request"]["url"] != file.resolve().as_uri():
            faults.append(f"a request of {about['request']['url'][:200]}")
        if method in ("Page.javascriptDialogOpening", "Page.windowOpen", "Log.entryAdded"):
            faults.append(f"{method}: {about}")
    return faults


STOPS = """[...document.querySelectorAll('a[href], summary, [tabindex="0"]')]
  .filter(e => e.checkVisibility()).length"""
FOCUS = """(() => { const e = document.activeElement; if (e === document.body) return '';
  const all = [...document.querySelectorAll('*')], box = e.getBoundingClientRect();
  return [all.indexOf(e), e.localName, box.width, box.height]; })()"""


def faults_of_keyboard(browser):
    """Tab comes to each link, each frame that scrolls and each summary once, and Enter unfolds."""
    faults = []
    browser.press("Tab")
    first = browser.value_of("document.activeElement.getAttribute('href')")
    if first != "#report" or browser.value_of(FOCUS)[2] < 20:
        faults.append(f"the first stop is {first!r}, not the link past the heading that then is seen")
    for _ in range(200):  # folded ones may hold others
        folded = browser.value_of("""(() => { for (const s of document.querySelectorAll('summary'))
          if (!s.parentElement.open && s.checkVisibility()) { s.focus(); return true; } return false; })()""")
        if not folded:
            break
        browser.press("Enter")
    if browser.value_of("document.querySelectorAll('details:not([open])').length"):
        faults.append("something stays folded")
    expected, seen = browser.value_of(STOPS), set()
    browser.value_of("document.activeElement.blur()")
    browser.value_of("window.getSelection().collapse(document.body, 0)")
    for _ in range(expected + 1):
        browser.press("Tab")
        stop = browser.value_of(FOCUS)
        if stop:
            seen.add(tuple(stop[:2]))
    if len(seen) != expected:
        faults.append(f"Tab comes to {len(seen)} of {expected} places")
    return faults


def faults_of_names(browser):
    """Of what a screen reader announces by a name."""
    named = {"table", "image", "img", "region", "navigation", "link", "heading", "row", "columnheader", "rowheader"}
    counted, faults = {}, []
    for node in browser.ask("Accessibility.getFullAXTree")["nodes"]:
        role = node.get("role", {}).get("value")
        if node.get("ignored") or role not in named:
            continue
        counted[role] = counted.get(role, 0) + 1
        if role != "row" and not node.get("name", {}).get("value", "").strip():
            faults.append(f"a {role} without a name")
    for role in ("table", "heading", "region", "navigation"):
        if not counted.get(role):
            faults.append(f"no {role}")
    return faults


CONTRASTS = """(() => {
  const parts = c => { const n = c.match(/[\\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const found = [];
  for (const e of document.querySelectorAll('body *')) {
    const drawn = e.closest('svg');
    if (drawn && (e.localName !== 'text' || e.classList.contains('on'))) continue;
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    let behind = e;
    while (behind && parts(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const style = getComputedStyle(e), ink = light(parts(drawn ? style.fill : style.color)),
      page = light(parts(getComputedStyle(behind || document.body).backgroundColor));
    found.push([(Math.max(ink, page) + .05) / (Math.min(ink, page) + .05), e.localName + '.' + e.getAttribute('class')]);
  }
  return found; })()"""


def faults_of_colours(browser):
    faults, pages = [], []
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        pages.append(browser.value_of("getComputedStyle(document.body).backgroundColor"))
        contrasts = browser.value_of(CONTRASTS)
        low = {what for contrast, what in contrasts if contrast < LEAST_CONTRAST}
        faults += [f"{scheme}: too little contrast of {what}" for what in sorted(low)]
        if len(contrasts) < 10:
            faults.append(f"{scheme}: {len(contrasts)} texts")
    if pages[0] == pages[1]:
        faults.append(f"light and dark are both {pages[0]}")
    return faults


def faults_of_a_narrow_window(browser):
    browser.ask("Emulation.setDeviceMetricsOverride", width=NARROW, height=800, deviceScaleFactor=1, mobile=False)
    width = browser.value_of("document.scrollingElement.scrollWidth")
    return [f"{width} pixels in a window of {NARROW}"] if width > NARROW else []


def main():
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        print("Chromium is not installed", file=sys.stderr)
        return SKIPPED
    profile = tempfile.mkdtemp()
    browser = Browser(program, profile)
    all_faults = []
    try:
        for file in map(pathlib.Path, sys.argv[1:]):
            browser.open(file)
            faults = (faults_of_elements(browser) + faults_of_names(browser) + faults_of_keyboard(browser) +
                      faults_of_colours(browser) + faults_of_a_narrow_window(browser) +
                      faults_of_behaviour(browser, file))
            all_faults += [f"{file.name}: {fault}" for fault in faults]
    finally:
        browser.close()
        shutil.rmtree(profile, ignore_errors=True)
    for fault in all_faults:
        print(fault, file=sys.stderr)
    return 1 if all_faults else 0


if __name__ == "__main__":
    sys.exit(main())
