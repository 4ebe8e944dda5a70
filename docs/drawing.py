"""A small SVG canvas for the drawn figures, with colours that follow the reader's light or dark scheme."""

import html

STYLE = """
.drawn { --ink: #1b2228; --soft: #5b6670; --line: #b9c0bb; --accent: #0a6b5e; --fill: #e4f1ee;
         --warm: #9a4a12; --warm-fill: #fbeadd; --paper: #fdfdfb; }
@media (prefers-color-scheme: dark) {
  .drawn { --ink: #dde2e6; --soft: #97a3ad; --line: #4a545c; --accent: #62c9b6; --fill: #1b302e;
           --warm: #e0a06a; --warm-fill: #38291c; --paper: #14181c; }
}
.drawn text { font: 14px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--ink); }
.drawn text.name { font-weight: 600; font-size: 16px; }
.drawn text.soft { fill: var(--soft); font-size: 13px; }
.drawn text.middle { text-anchor: middle; }
.drawn text.end { text-anchor: end; }
.drawn .edge { stroke: var(--line); stroke-width: 1.5; fill: none; }
.drawn .sum { stroke: var(--accent); stroke-width: 1.75; fill: none; }
.drawn .move { stroke: var(--warm); stroke-width: 1.5; fill: none; stroke-dasharray: 4 3; }
.drawn .node { fill: var(--fill); stroke: var(--accent); stroke-width: 1.5; }
.drawn .copy { fill: var(--paper); stroke: var(--line); stroke-width: 1.5; }
.drawn .cleared { fill: var(--warm-fill); stroke: var(--warm); stroke-width: 1.5; }
"""


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height, self.title = width, height, title
        self.elements = []

    def line(self, x1, y1, x2, y2, style="edge"):
        self.elements.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" class="{style}"/>')

    def arrow(self, x1, y1, x2, y2):
        """A straight edge along one axis with a head at its end."""
        self.line(x1, y1, x2, y2)
        along_x, along_y = (x2 > x1) - (x2 < x1), (y2 > y1) - (y2 < y1)
        back_x, back_y = x2 - 8 * along_x, y2 - 8 * along_y
        self.line(x2, y2, back_x + 4 * along_y, back_y + 4 * along_x)
        self.line(x2, y2, back_x - 4 * along_y, back_y - 4 * along_x)

    def curve(self, x1, y1, control_x, control_y, x2, y2, style="edge"):
        self.elements.append(
            f'<path d="M {x1:g} {y1:g} Q {control_x:g} {control_y:g} {x2:g} {y2:g}" class="{style}"/>'
        )

    def box(self, x, y, width, height, style="node"):
        self.elements.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" class="{style}"/>'
        )

    def text(self, x, y, words, style=""):
        self.elements.append(f'<text x="{x:g}" y="{y:g}" class="{style}">{html.escape(str(words))}</text>')

    def save(self, path):
        path.write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" class="drawn" role="img" width="{self.width:g}" '
            f'height="{self.height:g}" viewBox="0 0 {self.width:g} {self.height:g}">\n'
            f"<title>{html.escape(self.title)}</title>\n<style>{STYLE}</style>\n"
            + "\n".join(self.elements)
            + "\n</svg>\n",
            encoding="utf-8",
        )
