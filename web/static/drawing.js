// @ts-check
// Drawing like lit, on pages that a browser's translation may have changed.

import { render as litRender } from "./vendor/lit-html.js";

/** What each host showed when it was last drawn: its elements with their children.
 * @type {WeakMap<Node, Drawn[]>} */
const DRAWN = new WeakMap();

/** Nodes that lit has not drawn, or that change without it. @type {WeakSet<Node>} */
const APART = new WeakSet();

/** @typedef {{parent: Node, children: readonly ChildNode[], texts: readonly string[]}} Drawn */

/** Leaves a node out of what `render` puts back. @template {Node} N @param {N} node */
export function keepApart(node) {
  APART.add(node);
  return node;
}

/**
 * Draws like lit's `render`, after it has put back the nodes that others have replaced. lit writes
 * into the text nodes that it has made. A browser's translation replaces them, and from then on
 * lit's changes would go to nodes that nobody sees.
 * @param {unknown} value @param {HTMLElement} host
 */
export function render(value, host) {
  for (const drawn of DRAWN.get(host) ?? []) putBack(drawn, host);
  litRender(value, host);
  DRAWN.set(host, drawnIn(host));
}

/** @param {Node} parent @param {Drawn[]} [drawn] */
function drawnIn(parent, drawn = []) {
  const children = childrenOf(parent);
  drawn.push({ parent, children, texts: children.map((node) => node.nodeValue ?? "") });
  // A host within this one is drawn by itself.
  for (const child of children) if (!DRAWN.has(child)) drawnIn(child, drawn);
  return drawn;
}

/** @param {Node} parent */
function childrenOf(parent) {
  const children = [];
  // Faster than to go through the live list of `childNodes`.
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    if (!APART.has(node)) children.push(node);
  }
  return children;
}

/** @param {Drawn} drawn @param {Node} host */
function putBack({ parent, children, texts }, host) {
  if (parent !== host && DRAWN.has(parent)) return; // it became a host later
  putInOrder(parent, children);
  children.forEach((node, i) => {
    if ((node.nodeValue ?? "") !== texts[i]) node.nodeValue = texts[i] ?? "";
  });
}

/**
 * Makes these the children of a node. Moves none that is already in place: it would be laid out
 * again, and lose the focus.
 * @param {Node} parent @param {readonly ChildNode[]} inOrder
 */
export function putInOrder(parent, inOrder) {
  const children = childrenOf(parent);
  const isInOrder = children.every((node, i) => node === inOrder[i]);
  if (isInOrder && children.length === inOrder.length) return;
  const kept = new Set(inOrder);
  for (const node of children) if (!kept.has(node)) node.remove();
  let next = parent.firstChild;
  for (const node of inOrder) {
    while (next && APART.has(next)) next = next.nextSibling;
    if (node === next) next = next.nextSibling;
    else parent.insertBefore(node, next);
  }
}
