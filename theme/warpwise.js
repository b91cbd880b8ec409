// What WCAG 2.2 AA asks for beyond mdBook's own pages. The text is all there without it.

(() => {
    "use strict";

    // The bar above every page is a landmark.
    document.getElementById("mdbook-menu-bar")?.setAttribute("role", "banner");

    // So is the search, whose field needs a name that stays when something is typed.
    document.getElementById("mdbook-search-wrapper")?.setAttribute("role", "search");
    document.getElementById("mdbook-searchbar")?.setAttribute("aria-label", "Search this book");

    // The switch of the sidebar is a label, out of reach for a keyboard: a button takes its place and works it.
    const label = document.getElementById("mdbook-sidebar-toggle");
    const checkbox = document.getElementById("mdbook-sidebar-toggle-anchor");
    if (label && checkbox) {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "icon-button";
        button.title = label.title;
        button.setAttribute("aria-label", "Table of contents");
        button.setAttribute("aria-controls", "mdbook-sidebar");
        const tell = () => button.setAttribute("aria-expanded", String(checkbox.checked));
        tell();
        checkbox.addEventListener("change", tell);
        button.addEventListener("click", () => label.click());
        button.append(...label.childNodes);
        label.before(button);
        label.classList.add("hidden");
    }

    // What scrolls sideways can be scrolled with the keyboard, and is no stop on the way where it does not.
    const scrollers = document.querySelectorAll("main pre > code, main .table-wrapper");
    const reach = () => {
        for (const element of scrollers) {
            if (element.scrollWidth > element.clientWidth) {
                element.tabIndex = 0;
            } else {
                element.removeAttribute("tabindex");
            }
        }
    };
    reach();
    addEventListener("resize", reach);

    // Arrow keys turn pages in mdBook; inside what scrolls they scroll.
    document.querySelector("main")?.addEventListener("keydown", (event) => {
        const scroller = event.target.closest("[tabindex='0']");
        if (scroller && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
            event.stopPropagation();
        }
    });
})();
