// The look of a page. Colours are custom properties, each pair of text and background with a contrast of at
// least 4.5 (WCAG 2.2, AA) on a light and on a dark page; nothing is told by a colour alone.
#pragma once

namespace lockstep::report {

inline constexpr const char* kPageStyle = R"(
:root { color-scheme: light dark;
  --page: #ffffff; --panel: #f6f8fa; --ink: #1f2328; --faint: #59636e; --edge: #d1d9e0; --link: #0550ae;
  --good: #116329; --bad: #b3151f; --caution: #7d4e00;
  --heat-1: #fff3bf; --heat-2: #ffd08a; --heat-3: #ffaba0; }
@media (prefers-color-scheme: dark) { :root {
  --page: #0d1117; --panel: #161b22; --ink: #e6edf3; --faint: #9da7b1; --edge: #3d444d; --link: #79c0ff;
  --good: #56d364; --bad: #ff8b82; --caution: #e3b341;
  --heat-1: #3a3005; --heat-2: #5c3a08; --heat-3: #7d231d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 96rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 ui-sans-serif, system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0; } h2 { font-size: 1.3rem; margin: 2rem 0 0; }
h3 { font-size: 1.1rem; margin: 2rem 0 0.5rem; } h4 { font-size: 1rem; margin: 1.5rem 0 0.5rem; }
header { border-bottom: 1px solid var(--edge); }
p { margin: 0.5rem 0; max-width: 50rem; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
:target { outline: 2px solid var(--link); }
code, pre { font: 0.85rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { margin: 0.5rem 0; padding: 0.5rem 0.75rem; background: var(--panel); border: 1px solid var(--edge);
  border-radius: 4px; max-width: 60rem; max-height: 30rem; overflow: auto; white-space: pre-wrap; }
.faint { color: var(--faint); font-size: 0.9rem; }
.good { color: var(--good); } .bad { color: var(--bad); } .caution { color: var(--caution); }
.skip { position: absolute; left: 1rem; top: 0; margin: 0; padding: 0.25rem 0.5rem; background: var(--page); }
.skip:not(:focus-within) { clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
main:focus { outline: none; }
ul.parts { list-style: none; display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0.75rem 0; padding: 0; }
.verdict { font-size: 1.15rem; font-weight: 600; }
.next { padding: 0.5rem 0.75rem; background: var(--panel); border-left: 4px solid var(--link); }
.wide { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; margin: 0.5rem 0; overflow-wrap: break-word; }
caption { text-align: left; color: var(--faint); font-size: 0.9rem; padding-bottom: 0.25rem; }
th, td { padding: 0.25rem 0.6rem; border-bottom: 1px solid var(--edge); text-align: left; vertical-align: top; }
thead th { font-size: 0.85rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
td > .good, td > .bad, td > .caution { white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.own > * { font-weight: 700; background: var(--panel); }
meter { width: 10rem; }
details { margin: 0.5rem 0; } summary { cursor: pointer; }
details > :not(summary) { margin-left: 1rem; }
ul.places { padding-left: 1.25rem; }
dl { margin: 0.5rem 0; } dd { margin: 0 0 0.5rem 1rem; }
figure { margin: 0.5rem 0; } figcaption { color: var(--faint); font-size: 0.9rem; }
figure svg.access { width: 100%; min-width: 44rem; max-width: 60rem; height: auto; }
@media (prefers-color-scheme: light) { figure svg.access { --good: #1a7f37; --faint: #59636e; } }
figure svg.attempts { width: 100%; min-width: 34rem; max-width: 45rem; height: auto; font: 13px ui-sans-serif, system-ui, sans-serif; }
.attempts text { fill: var(--faint); } .attempts .scale, .attempts .last { text-anchor: end; }
.attempts .grid { stroke: var(--edge); } .attempts polyline { fill: none; stroke: var(--link); stroke-width: 2; }
.attempts circle { stroke: var(--link); stroke-width: 2; fill: var(--page); }
.attempts circle.passed { fill: var(--link); }
table.source { width: 100%; font-size: 0.85rem; }
table.source th, table.source td { padding: 0.05rem 0.3rem; border-bottom: 0; }
table.source thead th { padding-bottom: 0.3rem; border-bottom: 1px solid var(--edge); overflow-wrap: normal; }
table.source th.line { text-align: right; color: var(--faint); font-variant-numeric: tabular-nums; width: 1%; }
table.source td.number { width: 1%; }
table.source td.code { white-space: pre-wrap; overflow-wrap: anywhere; }
table.source td.code code { font-size: 0.8rem; }
table.source details { margin: 0; } .exact { display: block; white-space: normal; text-align: left;
  min-width: 14rem; }
.heat-1 { background: var(--heat-1); } .heat-2 { background: var(--heat-2); }
.heat-3 { background: var(--heat-3); font-weight: 700; }
tr.note td { background: var(--panel); font-family: inherit; }
tr.note td:first-child:not(:last-child) { background: none; }
tr.counted:hover td.code { background: var(--panel); }
@media (max-width: 68rem) {
  th, td { padding: 0.25rem 0.4rem; }
  table.source thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  table.source tr { display: flex; flex-wrap: wrap; align-items: baseline; }
  table.source .none { display: none; }
  table.source th.line { flex: 0 0 3rem; width: auto; }
  table.source td.code { flex: 1 1 0; min-width: 0; }
  table.source tr.counted { padding: 0.25rem 0 0 3rem; }
  table.source tr.counted th.line { margin-left: -3rem; }
  table.source tr.counted td.code { flex: 1 0 100%; }
  table.source td.number { width: auto; margin: 0 0.25rem 0.15rem 0; border-radius: 3px; white-space: normal;
    text-align: left; }
  table.source td.number::before { content: attr(data-label) ": "; font-weight: 400; color: var(--ink); }
  table.source td.number details { display: inline-block; vertical-align: top; }
  table.source tr.note td { flex: 1 0 100%; padding-left: 3rem; }
}
)";

}  // namespace lockstep::report
