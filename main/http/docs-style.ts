// The style sheet of the API documents page. One text, because the page's policy names it by hash.

/** Colours hold a contrast of 4.5 to 1 in both schemes. */
export const docsStyle = `
:root{color-scheme:light dark;--bg:#fff;--panel:#f6f7f9;--text:#1c2430;--dim:#566073;--line:#d9dee6;--link:#1f5fbf;
--get:#1b6b3a;--post:#1f5fbf;--put:#8a4b00;--patch:#6b3fa0;--delete:#b3261e}
@media (prefers-color-scheme:dark){:root{--bg:#14181f;--panel:#1c222c;--text:#e6eaf0;--dim:#a3adbd;--line:#323b49;
--link:#8ab4ff;--get:#7fd49a;--post:#8ab4ff;--put:#ffb867;--patch:#cba6ff;--delete:#ff9c94}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem}
body{margin:0;background:var(--bg);color:var(--text);font:16px/1.55 system-ui,sans-serif}
a{color:var(--link);text-underline-offset:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999px}
.skip:focus{left:1rem;top:1rem;background:var(--bg);padding:.5rem 1rem;z-index:1}
header{padding:2rem clamp(1rem,4vw,3rem) 1.25rem;border-bottom:1px solid var(--line);background:var(--panel)}
header p{max-width:70ch;margin:.35rem 0}
h1{margin:0 0 .5rem;font-size:1.75rem;line-height:1.2}
.version{font-size:1rem;font-weight:400;color:var(--dim)}
.columns{display:grid;grid-template-columns:minmax(15rem,19rem) minmax(0,1fr)}
nav{position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;padding:1rem 1rem 3rem clamp(1rem,2vw,2rem);border-right:1px solid var(--line)}
nav h2{margin:1.1rem 0 .3rem;font-size:.95rem}
nav h2 a,nav li a{color:inherit;text-decoration:none}
nav a:hover{text-decoration:underline}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;align-items:center;gap:.5rem;padding:.25rem 0;font-size:.875rem;overflow-wrap:anywhere;min-height:1.75rem}
main{padding:1rem clamp(1rem,4vw,3rem) 6rem;min-width:0}
section>h2{margin:2.25rem 0 .75rem;font-size:1.4rem;text-transform:capitalize}
article{margin:0 0 1.25rem;padding:1rem 1.25rem;border:1px solid var(--line);border-radius:10px;background:var(--panel);overflow-x:auto}
article:target{border-color:var(--link);box-shadow:0 0 0 1px var(--link)}
h3{display:flex;flex-wrap:wrap;align-items:center;gap:.6rem;margin:0;font-size:1.05rem}
h4{margin:1rem 0 .35rem;font-size:.9rem}
article p{margin:.45rem 0}
code{font:.9em/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.path{font-size:1rem;font-weight:600}
.method{display:inline-block;min-width:3.9rem;padding:.05rem .4rem;border:1px solid currentColor;border-radius:5px;font:600 .72rem/1.5 ui-monospace,Menlo,Consolas,monospace;text-align:center}
.get{color:var(--get)}.post{color:var(--post)}.put{color:var(--put)}.patch{color:var(--patch)}.delete{color:var(--delete)}
.mark{padding:.05rem .5rem;border-radius:999px;border:1px solid var(--line);color:var(--dim);font-size:.78rem;font-weight:400}
.required{color:var(--delete);font-size:.78rem}
.type,.bounds{color:var(--dim);font-size:.85rem;font-weight:400}
table{width:100%;border-collapse:collapse;font-size:.9rem}
th,td{padding:.4rem .6rem .4rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
th{color:var(--dim);font-weight:600}
.members{margin:.2rem 0;padding-left:1.1rem}
summary{cursor:pointer;margin-top:.8rem;color:var(--dim);font-size:.9rem}
dt{margin-top:.6rem}dd{margin:0 0 0 1.2rem}
@media (max-width:52rem){.columns{display:block}nav{position:static;max-height:none;border-right:0;border-bottom:1px solid var(--line)}}
@media print{nav,.skip{display:none}.columns{display:block}article{break-inside:avoid}}
`
