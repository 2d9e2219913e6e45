/** The style sheet of the report page: dark and light, for print, from 360 px. No meaning is shown by colour only. */

const LIGHT = `
  --ground: #f6f7f7; --surface: #fff; --sunken: #eef0f1; --line: #d5dadd; --text: #1a2024; --muted: #566169;
  --accent: #0f6b5c; --accent-soft: #cfe6e1; --good: #17662f; --warn: #7a4b00; --warn-soft: #faecd2; --bad: #a81c28;
  --bad-soft: #fbe3e4; --c-created: #1f7a4a; --c-there: #5aa7a0; --c-rejected: #b8323c; --c-skipped: #97701f;
  --c-unknown: #7a4fb0; --c-unfinished: #8a949b;
  --c-held: #c0569b; --good-soft: #dff2e5; --c-waiting: #3f72b5;
`;

const DARK = `
  --ground: #111517; --surface: #181d20; --sunken: #1f2529; --line: #30383d; --text: #e4e8ea; --muted: #9ca7ae;
  --accent: #5cc8b3; --accent-soft: #173833; --good: #6fd38c; --warn: #e7b45a; --warn-soft: #36280d; --bad: #ff9a98;
  --bad-soft: #431b1d; --c-created: #4fb87c; --c-there: #7cc4bd; --c-rejected: #f0797c; --c-skipped: #d9a94b;
  --c-unknown: #b594ee; --c-unfinished: #7f8a91;
  --c-held: #e08bc4; --good-soft: #16331f; --c-waiting: #7fa9dd;
`;

export const STYLE = `
:root { ${LIGHT} color-scheme: light dark; }
@media screen and (prefers-color-scheme: dark) { :root { ${DARK} } }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main, header { max-width: 1080px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 40px; }
.eyebrow { margin: 0; color: var(--muted); font-size: 14px; }
h1 { margin: 4px 0 8px; font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; }
h2 { margin: 48px 0 4px; font-size: 20px; line-height: 1.3; }
h3 { margin: 24px 0 8px; font-size: 15px; color: var(--muted); font-weight: 600; }
p { margin: 4px 0 12px; max-width: 72ch; }
.muted { color: var(--muted); }
code, .mono { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: 0.875em; }
.state { margin: 12px 0; padding: 10px 16px; border-radius: 6px; border-left: 4px solid; max-width: none; font-weight: 600; }
.state.good { color: var(--good); background: var(--good-soft); }
.state.warn { color: var(--warn); background: var(--warn-soft); }
.state.bad { color: var(--bad); background: var(--bad-soft); }
.needs { margin: 16px 0 0; padding: 16px 20px; background: var(--surface); border: 1px solid var(--line);
  border-left: 4px solid var(--c-skipped); border-radius: 6px; }
.needs.none { border-left-color: var(--c-created); }
.needs h2 { margin: 0 0 8px; }
.needs ol { margin: 0; padding: 0; list-style: none; }
.needs ol li { padding: 10px 0; border-top: 1px solid var(--line); }
.needs ol li:first-child { border-top: 0; padding-top: 0; }
.needs h3 { margin: 16px 0 4px; font-size: 14px; }
.needs ol li > span { display: block; max-width: 90ch; }
.copy { display: flex; gap: 8px; align-items: start; margin-top: 6px; }
.copy code { flex: 1; min-width: 0; padding: 7px 12px; background: var(--sunken); border-radius: 4px; user-select: all; }
.copy button { flex: none; padding: 5px 12px; font: inherit; font-size: 14px; color: var(--text); background: var(--surface);
  border: 1px solid var(--muted); border-radius: 4px; cursor: pointer; }
.copy button:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
a { color: var(--accent); }
.files { margin: 0; padding: 0; list-style: none; columns: 2; column-gap: 32px;
  font-size: 14px; }
.files li { break-inside: avoid; padding: 2px 0; }
.shares { display: grid; grid-template-columns: max-content 1fr max-content; grid-auto-flow: row dense; gap: 6px 12px; align-items: center;
  margin: 12px 0; padding: 14px 16px; background: var(--surface); border: 1px solid var(--line); border-radius: 8px;
  font-size: 15px; }
.shares > span { grid-column: 1; }
.shares b { grid-column: 3; }
.shares svg { display: block; grid-column: 2; width: 100%; height: 14px; border-radius: 3px; background: var(--sunken); }
.shares b { text-align: right; font-weight: 500; font-variant-numeric: tabular-nums; }
.shares figcaption { grid-column: 1 / -1; display: flex; flex-wrap: wrap; gap: 0 16px; margin-top: 4px; font-size: 14px;
  color: var(--muted); }
.shares i { display: inline-block; width: 10px; height: 10px; margin-right: 6px; border-radius: 2px; }
.count svg { display: block; width: 100%; height: 6px; margin-top: 4px; border-radius: 2px; background: var(--sunken); }
.alarm { margin: 16px 0; padding: 12px 16px; border-radius: 6px; background: var(--bad-soft); color: var(--bad);
  font-weight: 600; max-width: none; }
.share { display: block; width: 100%; height: 14px; margin: 24px 0 0; border-radius: 4px; background: var(--sunken); }
.balance { display: flex; flex-wrap: wrap; gap: 8px 0; margin: 16px 0; padding: 0; list-style: none; }
.balance li { position: relative; padding-right: 40px; }
.balance li:last-child { padding-right: 0; }
.balance li::after { content: attr(data-sign); position: absolute; right: 13px; top: 3px; font-size: 22px;
  color: var(--muted); }
.balance b { display: block; font-size: 26px; line-height: 1.3; font-variant-numeric: tabular-nums; font-weight: 600; }
.balance span { display: flex; align-items: center; gap: 6px; font-size: 14px; color: var(--muted); }
.balance i { width: 10px; height: 10px; border-radius: 2px; flex: none; }
.i-created { background: var(--c-created); fill: var(--c-created); }
.i-alreadyImported { background: var(--c-there); fill: var(--c-there); }
.i-rejected { background: var(--c-rejected); fill: var(--c-rejected); }
.i-skipped { background: var(--c-skipped); fill: var(--c-skipped); }
.i-notSent { background: var(--c-held); fill: var(--c-held); }
.i-waiting { background: var(--c-waiting); fill: var(--c-waiting); }
.i-unknown { background: var(--c-unknown); fill: var(--c-unknown); }
.i-unfinished, .i-notInInput { background: var(--c-unfinished); fill: var(--c-unfinished); }
.i-none { display: none; }
.wide { overflow-x: auto; margin: 12px 0; background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; overflow-wrap: normal; }
.wide:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { width: 100%; border-collapse: collapse; font-size: 15px; }
th, td { padding: 7px 16px; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--muted); font-size: 13px; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 500; white-space: nowrap; }
tbody th.name, tbody th.mono { white-space: normal; overflow-wrap: anywhere; }
tbody .time { min-width: 13ch; white-space: normal; }
tbody th[scope=rowgroup] { background: var(--sunken); color: var(--muted); font-size: 13px; font-weight: 600; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.zero { color: var(--muted); }
.dense th, .dense td { padding: 7px 10px; }
.dense thead th, .dense .n { white-space: normal; }
.bar { width: 34%; min-width: 110px; }
.bar svg { display: block; width: 100%; height: 12px; margin-top: 6px; border-radius: 3px; background: var(--sunken); }
.groups { margin: 8px 0; padding: 0; list-style: none; background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; }
.groups li { display: grid; grid-template-columns: 96px 1fr; gap: 0 16px; padding: 12px 16px;
  border-top: 1px solid var(--line); }
.groups li:first-child { border-top: 0; }
.groups .count { font-size: 18px; font-weight: 600; text-align: right; font-variant-numeric: tabular-nums; }
.groups p { margin: 2px 0 0; }
.groups .what { font-weight: 600; }
.groups .attr { color: var(--muted); font-weight: 400; }
.groups .samples { font-size: 14px; color: var(--muted); }
.plots { display: grid; gap: 16px; margin: 12px 0; }
.plot { margin: 0; max-width: none; padding: 14px 16px 12px; background: var(--surface); border: 1px solid var(--line);
  border-radius: 8px; }
.plot figcaption { display: flex; flex-wrap: wrap; gap: 0 12px; font-size: 15px; }
.plot figcaption span { color: var(--muted); }
.plot i { display: inline-block; width: 14px; height: 10px; margin-right: 6px; }
.k-area { background: var(--accent-soft); border-top: 2px solid var(--accent); }
.k-steps { border-bottom: 2px dashed var(--c-unknown); }
.k-bars { border-left: 3px solid var(--c-rejected); }
.plot-frame.two, .plot-times.two { padding-right: 48px; }
.plot-top.right, .plot-bottom.right { left: auto; right: 0; text-align: left; color: var(--c-unknown); }
.plot .steps { stroke: var(--c-unknown); stroke-width: 2; stroke-dasharray: 6 3; }
.plot-frame { position: relative; margin: 10px 0 4px; padding-left: 48px; }
.plot-frame svg { display: block; width: 100%; height: 110px; overflow: visible; }
.plot-top, .plot-bottom { position: absolute; left: 0; width: 40px; text-align: right; font-size: 13px;
  line-height: 1; color: var(--muted); font-variant-numeric: tabular-nums; }
.plot-top { top: -6px; }
.plot-bottom { bottom: -6px; }
.plot-times { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 16px; padding: 4px 0 0 48px;
  font-size: 13px; color: var(--muted); font-variant-numeric: tabular-nums; }
.plot path { fill: none; vector-effect: non-scaling-stroke; }
.plot .grid { stroke: var(--line); stroke-width: 1; }
.plot .break { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 4 4; }
.plot .line { stroke: var(--accent); stroke-width: 2; stroke-linejoin: round; }
.plot .area { fill: var(--accent-soft); }
.plot .bars { stroke: var(--c-rejected); stroke-width: 2; }
main { padding-bottom: 48px; }
/* Each row becomes a block with a line per cell: nothing is cut off at the right. */
@media screen and (max-width: 900px) {
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { padding: 8px 12px; border-top: 1px solid var(--line); }
  tbody:first-of-type tr:first-child { border-top: 0; }
  th, td, .dense th, .dense td { padding: 0; border: 0; overflow-wrap: anywhere; }
  tbody th { font-weight: 600; white-space: normal; }
  tbody th[scope=rowgroup] { margin: -8px -12px; padding: 6px 12px; }
  td[data-name] { display: flex; justify-content: space-between; gap: 0 16px; }
  td[data-name]::before { content: attr(data-name); color: var(--muted); }
  .bar, td.zero { display: none; }
}
@media (max-width: 560px) {
  main, header { padding-left: 16px; padding-right: 16px; }
  header { padding-top: 24px; }
  h1 { font-size: 24px; }
  .groups li { grid-template-columns: 1fr; }
  .groups .count { text-align: left; }
  .balance { display: block; }
  .balance li { display: flex; flex-direction: row-reverse; justify-content: space-between; align-items: baseline;
    padding: 2px 0; }
  .balance li::after { display: none; }
  .balance li:last-child { margin-top: 4px; border-top: 1px solid var(--text); }
  .balance b { font-size: 20px; }
  .files { columns: 1; }
  .copy { flex-direction: column; align-items: stretch; }
  .copy button { align-self: start; }
  .shares { grid-template-columns: 1fr max-content; }
  .shares b { grid-column: 2; }
  .shares svg { grid-column: 1 / -1; }
  .plot-frame, .plot-times { padding-left: 40px; }
  .plot-frame.two, .plot-times.two { padding-right: 40px; }
  .plot-times span:last-child { margin-left: auto; }
  .plot-top, .plot-bottom { width: 32px; }
}
@media print {
  body { background: #fff; font-size: 11pt; }
  main, header { max-width: none; padding: 0; }
  h2 { margin-top: 28px; }
  h2, h3, thead { break-after: avoid; }
  .plot, .groups li, tr, .shares, .needs ol li { break-inside: avoid; }
  .wide { overflow: visible; }
  .copy button { display: none; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
