// The document that modules of the page need when they are imported: with texts, as Flask's
// template has them, and the methods that lit-html calls at once.

const texts = {
  "card.french.H": "hearts",
  "error.no_answer": "The board did not answer. Try again.",
  "error.press_late":
    "This press took too long to reach the board, so it does not count. Press again.",
  "error.press_uncertain":
    "The board took too long to answer. Check whether your press counted before you press again.",
  "error.refused": "The board refused this.",
  "error.uncertain": "The board did not answer. See whether it counted before you try again.",
  cards: { one: "{count} card", other: "{count} cards" },
};

globalThis.document = {
  createComment: () => ({}),
  createTreeWalker: () => ({}),
  documentElement: { lang: "en", dataset: {} },
  body: { dataset: { language: "en" } },
  getElementById: (id) => (id === "texts" ? { textContent: JSON.stringify(texts) } : null),
};
globalThis.location = { search: "", pathname: "/" };
