"""check_page.py FILE [--files]: whether a page of `grade --format html` holds what such a page may hold, nothing else.

Elements and attributes are those of the list below, so that whatever a submission says has become text. Besides, the
page is one that a keyboard and a screen reader can use. With --files it may lead to files below its own folder, which
are there: those of a class do. Prints the page's text.
"""

import html.parser
import pathlib
import sys
import urllib.parse

DRAWING = {
    "svg": {"xmlns", "class", "role", "viewbox", "width", "height", "aria-label", "preserveaspectratio"},
    "polyline": {"points"},
    "circle": {"class", "cx", "cy", "r"},
    "text": {"class", "x", "y", "dy"},
    "rect": {"class", "x", "y", "width", "height", "rx"},
    "line": {"class", "x1", "y1", "x2", "y2"},
}
ALLOWED = {
    **DRAWING,
    "html": {"xmlns", "lang", "xml:lang"},
    "meta": {"charset", "http-equiv", "content", "name"},
    "a": {"href"},
    "div": {"class", "role", "tabindex", "aria-label"},
    "pre": {"tabindex"},
    "section": {"aria-labelledby"},
    "nav": {"aria-label"},
    "main": {"id", "tabindex"},
    "h2": {"id"},
    "h3": {"id"},
    "p": {"class"},
    "span": {"class", "aria-hidden"},
    "table": {"class"},
    "tr": {"class", "title", "aria-current"},
    "th": {"class", "scope", "id"},
    "td": {"class", "colspan", "data-label"},
    "meter": {"min", "max", "value", "aria-hidden"},
    "details": {"open"},
    "ul": {"class"},
}
for plain in "head body title style header h1 h4 caption thead tbody summary code strong li dl dt dd".split():
    ALLOWED[plain] = set()
ALLOWED["figure"] = ALLOWED["figcaption"] = set()
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.faults, self.open, self.ids, self.links, self.text = [], [], [], [], []
        self.heading, self.policy, self.count = 0, "", {}

    def handle_starttag(self, tag, attributes):
        self.count[tag] = self.count.get(tag, 0) + 1
        values = dict(attributes)
        if tag not in ALLOWED:
            self.faults.append(f"an element {tag}")
        for name in values:
            if name not in ALLOWED.get(tag, set()):
                self.faults.append(f"an attribute {name} of {tag}")
        if len(values) < len(attributes):
            self.faults.append(f"an attribute of {tag} twice")
        if values.get("http-equiv") == "Content-Security-Policy":
            self.policy = values["content"]
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "a":
            self.links.append(values.get("href", ""))
        if tag in ("h1", "h2", "h3", "h4"):
            if int(tag[1]) > self.heading + 1:
                self.faults.append(f"{tag} follows a heading of level {self.heading}")
            self.heading = int(tag[1])
        if tag == "th" and values.get("scope") not in ("row", "col"):
            self.faults.append("a heading of neither a row nor a column")
        if tag == "svg" and values.get("role") != "img":
            self.faults.append("a drawing that is no image")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "meta":
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"an end of {tag} that ends nothing")

    def handle_data(self, data):
        self.text.append(data)

    def handle_comment(self, data):
        self.faults.append(f"a comment {data!r}")

    def unknown_decl(self, data):
        self.faults.append(f"a declaration {data!r}")

    def handle_pi(self, data):
        self.faults.append(f"an instruction {data!r}")


def leads_nowhere(page, link, folder):
    if link.startswith("#"):
        return link[1:] not in page.ids
    if folder is None or not link.startswith("./"):
        return True
    target = (folder / urllib.parse.unquote(link)).resolve()
    return folder.resolve() not in target.parents or not target.is_file()


def faults_of(page, folder):
    faults = list(page.faults)
    if page.policy != POLICY:
        faults.append(f"the policy {page.policy!r}")
    if page.open:
        faults.append(f"without an end: {page.open}")
    faults += [f"the id {one} twice" for one in set(page.ids) if page.ids.count(one) > 1]
    faults += [f"a link to {one!r}" for one in page.links if leads_nowhere(page, one, folder)]
    for once in ("h1", "main", "header"):
        if page.count.get(once) != 1:
            faults.append(f"{page.count.get(once)} of {once}")
    if page.count.get("table", 0) != page.count.get("caption", 0):
        faults.append("a table without a caption")
    return faults


def main():
    file = pathlib.Path(sys.argv[1])
    data = file.read_bytes()
    controls = sorted({byte for byte in data if byte < 0x20 and byte != 0x0A} | ({0x7F} & set(data)))
    page = Page()
    page.feed(data.decode("utf-8"))
    page.close()
    folder = file.parent if "--files" in sys.argv[2:] else None
    faults = faults_of(page, folder) + [f"the control character {byte:#04x}" for byte in controls]
    for fault in faults:
        print(f"{sys.argv[1]}: {fault}", file=sys.stderr)
    sys.stdout.buffer.write("".join(page.text).encode("utf-8"))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
