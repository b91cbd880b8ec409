import { readFileSync } from "node:fs"; import { createRequire } from "node:module"; import { start, themes } from "./book.js";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const b = await start(); const which = process.argv[2] ?? "transpose.html";
for (const theme of themes) { for (const width of [1280, 390]) { const p = await b.open(which, {theme, width});
 await p.screenshot({path:`/tmp/shot-${theme}-${width}.png`, fullPage: true});
 await p.evaluate(axe); const {violations} = await p.evaluate(() => axe.run(document,{resultTypes:["violations"],rules:{"target-size":{enabled:true}}}));
 console.log("==", theme, width, p.trouble); for (const v of violations) for (const n of v.nodes) console.log(v.id, n.target.join(" "), (n.any[0]?.message ?? "").slice(0,160));
 if (theme==="light") console.log(p.requests.length, await p.evaluate(() => performance.getEntriesByType("resource").concat(performance.getEntriesByType("navigation")).map(e=>[e.encodedBodySize,e.name.split("/").pop()].join(" ")).join("\n")));
 await p.done(); } }
await b.stop();
