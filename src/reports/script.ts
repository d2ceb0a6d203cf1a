/**
 * Script of a page: opens the target of a link, also in browsers that do not do so themselves, and sorts a table by a
 * column. It opens and moves elements; no text becomes markup.
 */
export const PAGE_SCRIPT = `'use strict';
function openTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}
addEventListener('hashchange', openTarget);
document.addEventListener('click', (event) => {
  // A link to where one has been already changes nothing that an event would tell of.
  const link = event.target.closest('a[href^="#"]');
  if (link !== null && link.getAttribute('href') === location.hash) openTarget();
});
openTarget();

for (const table of document.querySelectorAll('table[data-sortable]')) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const places = new Map([...body.rows].map((row, place) => [row, place]));
  heads.forEach((head, column) => {
    const first = head.dataset.sort;
    if (first === undefined) return;
    const second = first === 'ascending' ? 'descending' : 'ascending';
    const button = document.createElement('button');
    button.type = 'button';
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const order = head.ariaSort === first ? second : first;
      for (const other of heads) other.ariaSort = null;
      head.ariaSort = order;
      const sign = order === 'ascending' ? 1 : -1;
      const key = (row) => row.cells[column].dataset.key ?? '';
      const compare = (one, other) => {
        const [left, right] = [key(one), key(other)];
        if (left === '' && right !== '') return 1;
        if (right === '' && left !== '') return -1;
        return sign * (Number(left) - Number(right)) || places.get(one) - places.get(other);
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
`;
