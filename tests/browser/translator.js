// What a browser's translation does to a page: it replaces words, and whatever is drawn later too.
// Here it "translates" into upper case. `how` is the way in which it changes the nodes, and
// `polite` whether it obeys translate="no".
({ how, polite }) => {
  const skipped = `script, style, textarea, input, svg${polite ? ", [translate=no]" : ""}`;
  const translated = (words) => words.toUpperCase();
  const wrapped = (node) => {
    const [outer, inner] = [document.createElement("font"), document.createElement("font")];
    inner.textContent = translated(node.data);
    outer.append(inner);
    node.replaceWith(outer);
  };
  const change = {
    wrap: wrapped,
    replace: (node) => node.replaceWith(document.createTextNode(translated(node.data))),
    edit: (node) => (node.data = translated(node.data)),
    add: (node) => {
      node.after(Object.assign(document.createElement("font"), { textContent: "…" }));
      wrapped(node);
    },
    // All that an element holds becomes one text, without the comments between.
    merge(node) {
      const { parentElement: parent } = node;
      if (parent.children.length) wrapped(node);
      else parent.replaceChildren(translated(parent.textContent));
    },
  }[how];

  const isForeign = (node) =>
    node.isConnected && !node.parentElement.closest(skipped) && node.data !== translated(node.data);
  function translate(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts = root.nodeType === Node.TEXT_NODE ? [root] : [];
    while (walker.nextNode()) texts.push(walker.currentNode);
    for (const node of texts) if (isForeign(node)) change(node);
  }

  function begin() {
    document.documentElement.lang = "xx";
    document.documentElement.classList.add("translated-ltr");
    translate(document.body);
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) [target, ...addedNodes].forEach(translate);
    }).observe(document.body, { childList: true, characterData: true, subtree: true });
  }
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin);
}
