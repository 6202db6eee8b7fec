// The document that modules of the page need when they are imported: with words and
// translations, as Flask's template has it, and the methods that lit-html calls at once.

const texts = { "card.french.H": "hearts", Back: "Zurück", "timeline|deal": "Runde" };

globalThis.document = {
  createComment: () => ({}),
  createTreeWalker: () => ({}),
  documentElement: { lang: "en", dataset: {} },
  body: { dataset: { language: "en" } },
  getElementById: (id) => (id === "texts" ? { textContent: JSON.stringify(texts) } : null),
};
globalThis.location = { search: "", pathname: "/" };
