// The built book on a local address, and a browser to read it with.

import { createServer } from "node:http";
import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const folder = fileURLToPath(new URL("../../book/", import.meta.url));

const kinds = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json",
  ".wasm": "application/wasm",
};

/// The pages a reader meets; print.html opens the printer, and toc.html is a frame for browsers without scripts.
export const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".html") && !["print.html", "toc.html", "index.html"].includes(name))
  .sort();

export const themes = ["light", "rust", "coal", "navy", "ayu"];

/// Starts server and browser. `open(page, options)` gives a page of its own context, with what it asked for.
export async function start() {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://book").pathname));
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, { "content-type": kinds[extname(path)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const home = `http://127.0.0.1:${server.address().port}`;

  const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
  const executablePath = process.env.CHROMIUM ?? installed.find((path) => existsSync(path));
  if (!executablePath) throw new Error("no Chromium was found; install it, or set CHROMIUM to its path");
  // Chromium's sandbox does not work for root, which is who runs CI.
  const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ["--no-sandbox"] : [] });

  return {
    home,
    async open(name, { theme = "light", width = 1280, ...options } = {}) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, ...options });
      await context.addInitScript((theme) => localStorage.setItem("mdbook-theme", theme), theme);
      const page = await context.newPage();
      const [requests, trouble] = [[], []];
      page.on("request", (request) => requests.push(request.url()));
      page.on("requestfailed", (request) => trouble.push(`${request.url()} failed`));
      page.on("response", (response) => response.ok() || trouble.push(`${response.url()}: ${response.status()}`));
      page.on("pageerror", (error) => trouble.push(String(error)));
      page.on("console", (message) => message.type() === "error" && trouble.push(message.text()));
      await page.goto(`${home}/${name}`, { waitUntil: "load" });
      return Object.assign(page, { requests, trouble, done: () => context.close() });
    },
    async stop() {
      await browser.close();
      server.close();
    },
  };
}
