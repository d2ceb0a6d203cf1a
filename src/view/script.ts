/**
 * Script of the viewer's pages: follows an experiment in progress. It asks for the page again and puts its new parts in
 * the place of the old ones, those that somebody has opened or writes in excepted. The text is this server's own page,
 * which has no script but this one.
 */
export const VIEW_SCRIPT = `'use strict';
const every = 3000;
const policy = globalThis.trustedTypes
  ? trustedTypes.createPolicy('reprise', { createHTML: (text) => text })
  : { createHTML: (text) => text };
const isUsed = (part) => part.contains(document.activeElement) || part.querySelector('details[open], textarea, input:focus');
async function follow() {
  if (document.body.dataset.live === undefined) return;
  await new Promise((resolve) => setTimeout(resolve, every));
  if (!document.hidden) {
    try {
      const answer = await fetch(location.href, { cache: 'no-store' });
      const fresh = new DOMParser().parseFromString(policy.createHTML(await answer.text()), 'text/html');
      if (answer.ok) {
        for (const part of fresh.querySelectorAll('main > section[id]')) {
          const old = document.getElementById(part.id);
          if (old !== null && old.outerHTML !== part.outerHTML && !isUsed(old)) old.replaceWith(document.importNode(part, true));
          else if (old === null) document.querySelector('main').append(document.importNode(part, true));
        }
        if (fresh.body.dataset.live === undefined) return location.reload();
      }
    } catch {}
  }
  void follow();
}
void follow();
`;
